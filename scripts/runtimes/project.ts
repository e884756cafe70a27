import { cpSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { buildSync } from 'esbuild';
import { install } from './install.js';

/** Whether the oldest or the newest versions are installed that the ranges of dependencies and peers allow. */
export type Age = 'oldest' | 'newest';

export interface Project {
  folder: string;
  /** The versions of the package's dependencies and peers, for a reader. */
  versions: string;
}

const root = path.resolve(import.meta.dirname, '../..');
const readManifest = (folder: string) => JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8'));
const manifest: Record<'dependencies' | 'devDependencies' | 'peerDependencies', Record<string, string>> = readManifest(
  root,
);

/**
 * Tests of the sources, of documentation and of scripts need the repository, and those that load modules again need the
 * package as sources. All others need the package only.
 */
const needsRepository =
  /\.\/(?:src|scripts|docs|examples|bench|templates|package\.json)\b|'(?:docs|scripts|src|examples)\/|(?:tsconfig|package-lock)\.json|\\\/src\\\/|vi\.(?:mock|resetModules)/;

/** An empty project with the packed package, its dependencies and peers, and the tests that need nothing but these. */
export function makeProject(folder: string, tarball: string, age: Age): Project {
  const versions = versionsOf(age);
  cpSync(path.join(root, 'vitest.config.ts'), path.join(folder, 'vitest.config.ts'));
  const tests = copyTests(path.join(folder, 'test'));
  install(folder, { ...testTools(tests), ...versions, concordat: `file:${tarball}` });
  copyPrograms(path.join(folder, 'programs'));
  const installed = (name: string) => `${name} ${readManifest(path.join(folder, 'node_modules', name)).version}`;
  return { folder, versions: Object.keys(versions).map(installed).join(', ') };
}

function versionsOf(age: Age): Record<string, string> {
  const oldest = (range: string) => /\d+\.\d+\.\d+/.exec(range)?.[0] ?? range;
  // The npm of an older Node would choose an older major version.
  const newest = (range: string) => range.split('||').at(-1)?.trim() ?? range;
  const ranges = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies });
  return Object.fromEntries(ranges.map(([name, range]) => [name, age === 'oldest' ? oldest(range) : newest(range)]));
}

/** @returns the tests that can run there, with all that they import. */
function copyTests(folder: string): Set<string> {
  cpSync(path.join(root, 'test'), folder, { recursive: true });
  const kept = new Set<string>();
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!/\.test\.tsx?$/.test(name)) continue;
    const test = path.join(folder, name);
    const files = withImports(test);
    if (files === undefined) rmSync(test);
    else for (const file of files) kept.add(file);
  }
  return kept;
}

/** @returns `undefined` if one of them needs the repository. */
function withImports(file: string, seen = new Set<string>()): Set<string> | undefined {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (needsRepository.test(text)) return undefined;
  const imported = [...text.matchAll(/ from '(\.[^']+)\.js';/g)].map(([, name]) =>
    path.resolve(file, '..', `${name}.ts`),
  );
  return imported.every((name) => withImports(name, seen)) ? seen : undefined;
}

/** What runs the tests, and what they import that is no dependency or peer of the package. */
function testTools(files: Iterable<string>): Record<string, string> {
  const names = new Set(['vitest', 'tsx']);
  for (const file of files)
    for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/ from '((?:@[^/']+\/)?[^./'][^/']*)/g))
      names.add(name);
  return Object.fromEntries(Object.entries(manifest.devDependencies).filter(([name]) => names.has(name)));
}

/** As JavaScript: Node 20 reads no TypeScript. */
function copyPrograms(folder: string): void {
  const source = path.join(import.meta.dirname, 'programs');
  const entryPoints = readdirSync(source).map((file) => path.join(source, file));
  buildSync({ entryPoints, outdir: folder, format: 'esm', platform: 'neutral' });
}
