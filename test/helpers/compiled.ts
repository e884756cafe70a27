import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { type BuildOptions, build } from 'esbuild';

const root = path.resolve(import.meta.dirname, '../..');
/** Inside of node_modules, so that Node finds the packages that a program imports. */
const cache = path.join(root, 'node_modules/.cache/test-programs');

/**
 * Compiles a program, which may import from src, to a folder named after what is in it: Node starts that in a third of the
 * time that it needs with tsx.
 *
 * @param program a file, or `source`, whose relative imports start at the root. What differs in every run, such as a port, is
 *   better a parameter: each source has a folder that stays.
 * @returns the file to start
 */
export async function compiled(program: string | { source: string }): Promise<string> {
  const input: BuildOptions =
    typeof program === 'string'
      ? { entryPoints: [program] }
      : { stdin: { contents: program.source, resolveDir: root, loader: 'ts' } };
  const { outputFiles } = await build({
    ...input,
    bundle: true,
    splitting: true, // what is imported at need stays so
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    ignoreAnnotations: true, // what is imported for its effects alone, too
    outdir: cache,
    outExtension: { '.js': '.mjs' },
    write: false,
  });
  const hash = createHash('sha256');
  for (const { contents } of outputFiles) hash.update(contents);
  const folder = path.join(cache, hash.digest('hex').slice(0, 16));
  if (!existsSync(folder)) {
    const unfinished = `${folder}-${process.pid}`; // another process may write the same
    mkdirSync(unfinished, { recursive: true });
    for (const file of outputFiles) writeFileSync(path.join(unfinished, path.basename(file.path)), file.contents);
    try {
      renameSync(unfinished, folder);
    } catch (error) {
      rmSync(unfinished, { recursive: true });
      if (!existsSync(folder)) throw error;
    }
  }
  return path.join(folder, path.basename(outputFiles[0]?.path ?? ''));
}
