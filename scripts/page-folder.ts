/** A folder in which the code blocks of a page are files of a project that has the packages the page needs. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Block } from './markdown-blocks.js';

const root = path.resolve(import.meta.dirname, '..');

/** What these pages need is no dependency of the project: it is installed from a lockfile of its own. */
const ownPackages = new Map([['docs/job-queues.md', 'tools/job-queues']]);

/** A project in which `concordat` is this package, and its dependencies are the ones installed here. */
export function makeFolder(page: string): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-readme-'));
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  symlinkSync(root, path.join(modules, 'concordat'));
  const own = ownPackages.get(page);
  if (own !== undefined) linkOwnPackages(path.join(root, own), modules);
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync(path.join(root, 'dist/cli/main.js'), path.join(modules, '.bin/concordat'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeTypeScriptConfig(folder);
  return folder;
}

function linkOwnPackages(own: string, modules: string): void {
  const isInstalled =
    checksums(path.join(own, 'node_modules/.package-lock.json')) === checksums(path.join(own, 'package-lock.json'));
  if (!isInstalled) execFileSync('npm', ['ci', '--no-audit', '--no-fund', '--silent'], { cwd: own });
  const { dependencies } = JSON.parse(readFileSync(path.join(own, 'package.json'), 'utf8'));
  for (const name of Object.keys(dependencies)) {
    mkdirSync(path.dirname(path.join(modules, name)), { recursive: true });
    symlinkSync(path.join(own, 'node_modules', name), path.join(modules, name));
  }
}

function checksums(file: string): string {
  if (!existsSync(file)) return '';
  const { packages } = JSON.parse(readFileSync(file, 'utf8')) as { packages: Record<string, { integrity?: string }> };
  return Object.values(packages)
    .flatMap(({ integrity }) => integrity ?? [])
    .sort()
    .join(' ');
}

/** For the check only: TypeScript and the types of Node are those of this repository. */
export function writeTypeScriptConfig(folder: string): void {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023', 'ESNext.Disposable', 'DOM', 'DOM.Iterable'],
    module: 'NodeNext',
    types: ['node'],
    typeRoots: [path.join(root, 'node_modules/@types')],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
  };
  writeFileSync(
    path.join(folder, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, include: ['*.ts', '*.mts', '*.tsx'] }),
  );
}

/** @returns the names of the files that are TypeScript */
export function writeFiles(folder: string, blocks: Block[]): string[] {
  const names: string[] = [];
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'ts' && block.language !== 'tsx') continue;
    const name = fileOf(block, index);
    // A module of its own even without an import, so that blocks do not share names.
    writeFileSync(
      path.join(folder, name),
      block.attributes.file === undefined ? `${block.text}\nexport {};\n` : block.text,
    );
    names.push(name);
  }
  return names;
}

export function fileOf(block: Block, index: number): string {
  return block.attributes.file ?? `block-${index}.${block.language}`;
}
