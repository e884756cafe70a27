import { execFileSync } from 'node:child_process';
import path from 'node:path';

export interface Packed {
  /** The tarball's absolute path. */
  tarball: string;
  /** What is in it, by path from the package's root. */
  files: string[];
}

const root = path.resolve(import.meta.dirname, '..');

const npm = (...words: string[]) =>
  execFileSync('npm', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });

/** Builds the package and packs it into `folder`, as `npm publish` would. */
export function pack(folder: string): Packed {
  npm('run', '--silent', 'build');
  return packBuilt(folder);
}

/** The same with what is built already. */
export function packBuilt(folder: string): Packed {
  // Without its scripts, `npm pack` prints nothing but its JSON.
  const [packed] = JSON.parse(npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder)) as [
    { filename: string; files: { path: string }[] },
  ];
  return { tarball: path.join(folder, packed.filename), files: packed.files.map((file) => file.path) };
}
