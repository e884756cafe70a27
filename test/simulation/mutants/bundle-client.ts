import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build, type Plugin } from 'esbuild';
import type { Subject } from '../run-schedule.js';
import type { Patch } from './mutants.js';

const source = fileURLToPath(new URL('../../../src/', import.meta.url));
const require = createRequire(import.meta.url);

/** Imports src/client with some of its text replaced. */
export async function bundleClient(patches: readonly Patch[]): Promise<Subject> {
  const directory = await mkdtemp(join(tmpdir(), 'concordat-mutant-'));
  try {
    const outfile = join(directory, 'client.mjs');
    await writeBundle(patches, outfile);
    return (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as Subject;
  } finally {
    await rm(directory, { recursive: true });
  }
}

/** Bundles src/client into one file with some of its text replaced: the source needs no hooks for this. */
export async function writeBundle(patches: readonly Patch[], outfile: string): Promise<void> {
  await build({
    entryPoints: [join(source, 'client/index.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
    plugins: [patchSource(patches), leaveDependencies],
  });
}

/** How often the text of a patch occurs in its file. */
export async function countMatches({ file, find }: Patch): Promise<number> {
  return (await readFile(join(source, file), 'utf8')).split(find).length - 1;
}

function patchSource(patches: readonly Patch[]): Plugin {
  return {
    name: 'patch-source',
    setup({ onLoad }) {
      onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const file = relative(source, path).split(sep).join('/');
        let contents = await readFile(path, 'utf8');
        for (const patch of patches)
          if (patch.file === file) contents = contents.replace(patch.find, () => patch.replace);
        return { contents, loader: 'ts' };
      });
    },
  };
}

/** Packages are taken from this project, not from the directory of the bundle, and only once. */
const leaveDependencies: Plugin = {
  name: 'leave-dependencies',
  setup({ onResolve }) {
    onResolve({ filter: /^[^./]/ }, ({ path }) => {
      if (path.startsWith('node:')) return { external: true };
      return { path: pathToFileURL(require.resolve(path)).href, external: true };
    });
  },
};
