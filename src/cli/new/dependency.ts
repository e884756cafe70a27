import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';

/**
 * The version of this package for the package.json of a new project in `target`, so that it gets the running one: a version
 * if it came from a registry, else the tarball, folder, URL or repository. `packageRoot` has no symbolic links.
 */
export function findDependency(packageRoot: string, version: string, target: string): string {
  if (path.basename(path.dirname(packageRoot)) !== 'node_modules') return fileSpec(packageRoot, target);
  for (const owner of ownersOf(packageRoot)) {
    const source = sourceOf(packageRoot, owner);
    if (source === undefined) continue;
    if (source.startsWith('file:')) return fileSpec(path.resolve(owner, source.slice('file:'.length)), target);
    // Registries serve tarballs at /concordat/-/concordat-1.2.3.tgz
    return /^https?:.*\/-\//.test(source) ? `^${version}` : source;
  }
  return `^${version}`;
}

/** The folders whose node_modules the package is in, the closest first: package managers nest them. */
function ownersOf(packageRoot: string): string[] {
  const found: string[] = [];
  for (let folder = path.dirname(packageRoot); folder !== path.dirname(folder); folder = path.dirname(folder)) {
    if (path.basename(folder) === 'node_modules') found.push(path.dirname(folder));
  }
  return found;
}

/** Where the package came from: npm says so in its lock file, others only in package.json. */
function sourceOf(packageRoot: string, owner: string): string | undefined {
  const lock = readJson(path.join(owner, 'node_modules', '.package-lock.json'));
  const resolved = lock?.packages?.[posix(path.relative(owner, packageRoot))]?.resolved;
  if (typeof resolved === 'string') return resolved;
  const manifest = readJson(path.join(owner, 'package.json'));
  const name = path.basename(packageRoot);
  const asked = manifest?.dependencies?.[name] ?? manifest?.devDependencies?.[name];
  return typeof asked === 'string' && asked.startsWith('file:') ? asked : undefined;
}

/** What is needed of a package.json and of npm's lock file. */
interface Manifest {
  dependencies?: Record<string, unknown>;
  devDependencies?: Record<string, unknown>;
  packages?: Record<string, { resolved?: unknown }>;
}

function readJson(file: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

function fileSpec(file: string, target: string): string {
  return `file:${posix(path.relative(realFolder(target), file))}`;
}

/** A folder without symbolic links, even if it does not exist yet: npm resolves relative paths from there. */
function realFolder(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return path.join(realFolder(path.dirname(folder)), path.basename(folder));
  }
}

const posix = (file: string) => file.split(path.sep).join('/');
