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

/** What the tests themselves are run and written with. */
const testTools = [
  ...['vitest', 'tsx', 'esbuild', 'fast-check', 'yaml', 'arktype', 'valibot'],
  ...['@hono/zod-openapi', '@hono/zod-validator'],
  ...['@opentelemetry/context-async-hooks', '@opentelemetry/sdk-metrics', '@opentelemetry/sdk-trace-base'],
];

/**
 * Tests of the sources, of documentation and of scripts need the repository, and those that load modules again need the
 * package as sources. All others need the package only.
 */
const needsRepository =
  /\.\/(?:src|scripts|docs|examples|bench|templates|package\.json)\b|'(?:docs|scripts|src|examples)\/|(?:tsconfig|package-lock)\.json|\\\/src\\\/|vi\.(?:mock|resetModules)/;

/** An empty project with the packed package, its dependencies and peers, and the tests that need nothing but these. */
export function makeProject(folder: string, tarball: string, age: Age): Project {
  const tools = Object.fromEntries(testTools.map((name) => [name, manifest.devDependencies[name] as string]));
  const versions = versionsOf(age);
  install(folder, { ...tools, ...versions, concordat: `file:${tarball}` });
  cpSync(path.join(root, 'vitest.config.ts'), path.join(folder, 'vitest.config.ts'));
  copyTests(path.join(folder, 'test'));
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

function copyTests(folder: string): void {
  cpSync(path.join(root, 'test'), folder, { recursive: true });
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file));
  const left = files.filter((file) => /\.test\.tsx?$/.test(file) && !needsPackageOnly(file));
  for (const file of left) rmSync(file);
}

/** Whether neither the file nor what it imports needs the repository. */
function needsPackageOnly(file: string, seen = new Set<string>()): boolean {
  if (seen.has(file)) return true;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  if (needsRepository.test(text)) return false;
  const imported = [...text.matchAll(/ from '(\.[^']+)\.js';/g)].map(([, name]) =>
    path.resolve(file, '..', `${name}.ts`),
  );
  return imported.every((name) => needsPackageOnly(name, seen));
}

/** As JavaScript: Node 20 reads no TypeScript. */
function copyPrograms(folder: string): void {
  const source = path.join(import.meta.dirname, 'programs');
  const entryPoints = readdirSync(source).map((file) => path.join(source, file));
  buildSync({ entryPoints, outdir: folder, format: 'esm', platform: 'neutral' });
}
