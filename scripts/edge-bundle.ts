import { gzipSync } from 'node:zlib';
import { type BuildOptions, build } from 'esbuild';

/** As the tools of edge runtimes bundle a worker. */
export const forEdge = {
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['module', 'main'],
  conditions: ['worker', 'import'],
  external: ['node:*'],
  logLevel: 'error',
} satisfies BuildOptions;

const connector = (name: string) => `
import { createConnector } from '${name}/connector';
import * as z from 'zod';
export default createConnector({
  initialize: { parameters: z.object({ user: z.string() }), handler: () => ({ 'x-session': 'demo' }) },
  session: z.object({ 'x-session': z.literal('demo') }),
});`;

/** Bundles a small connector as for an edge runtime. @returns its size in bytes, minified and gzipped */
export async function bundleForEdge(folder: string, name: string): Promise<number> {
  const { outputFiles } = await build({
    stdin: { contents: connector(name), resolveDir: folder },
    ...forEdge,
    minify: true,
    write: false,
  });
  return gzipSync(outputFiles[0]!.contents, { level: 9 }).length;
}

/** Bundles API keys and their administration for Node, with kysely as the only peer. @throws where a driver were missing */
export async function bundleForServer(folder: string, names: readonly string[]): Promise<void> {
  await build({
    stdin: { contents: names.map((name) => `export * from '${name}';`).join('\n'), resolveDir: folder },
    bundle: true,
    format: 'esm',
    platform: 'node',
    external: ['kysely', 'kysely/*'],
    logLevel: 'error',
    write: false,
  });
}
