import { readFileSync } from 'node:fs';
import path from 'node:path';
import { licenseOf } from './third-party-licenses.js';

/** The packages whose code is in a bundle, according to esbuild's comments. */
export function packagesIn(code: string): Set<string> {
  const comments = code.matchAll(/\/\/ \S*node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\//g);
  return new Set(Array.from(comments, ([, name]) => name as string));
}

/** @throws Error naming each package in these files of the folder whose license text is not in `notices`. */
export function checkLicenses(folder: string, files: readonly string[], notices: string): string[] {
  const bundles = files.filter((file) => /\.c?js$/.test(file));
  const names = packagesIn(bundles.map((file) => readFileSync(path.join(folder, file), 'utf8')).join('\n'));
  if (names.size === 0)
    throw new Error('no bundled package was found: this check reads the comments that esbuild writes');
  // With its name, because many packages share the same text.
  const isNamed = (name: string) => notices.split('\n').some((line) => line.startsWith(`${name} `));
  const hasText = (name: string) => notices.includes(licenseOf(path.join('node_modules', name)));
  const missing = [...names].filter((name) => !isNamed(name) || !hasText(name)).sort();
  if (missing.length > 0) throw new Error(`bundled without their licenses: ${missing.join(', ')}`);
  return [...names].sort();
}
