import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';

let built: string | undefined;

/** The page's script as a browser takes it: `browser/`, with what it shares with the pages made here. */
export function browserScript(): string {
  built ??= buildSync({
    entryPoints: [fileURLToPath(new URL('./browser/main.ts', import.meta.url))],
    bundle: true,
    format: 'iife',
    target: 'es2022',
    charset: 'utf8',
    write: false,
    logLevel: 'silent',
  }).outputFiles[0]?.text;
  return built ?? '';
}
