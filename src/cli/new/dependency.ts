import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * How a new project asks for this package, so that it gets the one that is running: by version when that came from a
 * registry, else from where it came: a tarball or a folder of this machine, an address, a repository.
 *
 * @param packageRoot the folder of the running package, without symbolic links.
 * @param target the folder of the new project, to which paths are made relative.
 */
export function findDependency(packageRoot: string, version: string, target: string): string {
  if (path.basename(path.dirname(packageRoot)) !== 'node_modules') return fileSpec(packageRoot, target);
  for (const { owner, modules } of installationsAround(packageRoot)) {
    const source = sourceOf(packageRoot, owner, modules);
    if (source === undefined) continue;
    if (source.startsWith('file:')) return fileSpec(path.resolve(owner, source.slice('file:'.length)), target);
    // The path of a registry's tarballs: /concordat/-/concordat-1.2.3.tgz
    return /^https?:.*\/-\//.test(source) ? `^${version}` : source;
  }
  return `^${version}`;
}

/** Every node_modules above the package, the nearest first: package managers nest them. */
function installationsAround(packageRoot: string): { owner: string; modules: string }[] {
  const found: { owner: string; modules: string }[] = [];
  for (let folder = path.dirname(packageRoot); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (path.basename(folder) === 'node_modules') found.push({ owner: path.dirname(folder), modules: folder });
  }
  return found;
}

/** Where an installation says the package came from: npm in its lock file, the others leave it to package.json. */
function sourceOf(packageRoot: string, owner: string, modules: string): string | undefined {
  const lock = readJson(path.join(modules, '.package-lock.json')) as Lock | undefined;
  const resolved = lock?.packages?.[posix(path.relative(owner, packageRoot))]?.resolved;
  if (typeof resolved === 'string') return resolved;
  const manifest = readJson(path.join(owner, 'package.json')) as Manifest | undefined;
  const name = path.basename(packageRoot);
  const asked = manifest?.dependencies?.[name] ?? manifest?.devDependencies?.[name];
  return typeof asked === 'string' && asked.startsWith('file:') ? asked : undefined;
}

interface Lock {
  packages?: Record<string, { resolved?: unknown }>;
}

interface Manifest {
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
}

function readJson(file: string): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function fileSpec(file: string, target: string): string {
  return `file:${posix(path.relative(realFolder(target), file))}`;
}

/** A folder without symbolic links, even if it is yet to be made: npm takes relative paths from there. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.join(realFolder(path.dirname(folder)), path.basename(folder));
  }
}

const posix = (file: string) => file.split(path.sep).join('/');
