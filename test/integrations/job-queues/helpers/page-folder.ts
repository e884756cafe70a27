// The programs of docs/job-queues.md, so that the page is right: each runs in a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { onTestFailed, onTestFinished } from 'vitest';
import { readBlocks } from '../../../../scripts/markdown-blocks.js';
import { makeFolder, writeFiles } from '../../../../scripts/page-folder.js';

const page = 'docs/job-queues.md';
/** The programs use the sources, as the tests do. */
const tsx = { TSX_TSCONFIG_PATH: path.resolve('tsconfig.json'), NODE_OPTIONS: '' };

export type Variables = Record<string, string>;

/** Installs the packages of the page, which takes some seconds. */
export function pageFolder() {
  const folder = makeFolder(page);
  writeFiles(folder, readBlocks(page, readFileSync(page, 'utf8')));
  const load = createRequire(path.join(folder, 'load.cjs'));

  function start(file: string, variables: Variables) {
    const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
      cwd: folder,
      env: { ...process.env, ...tsx, ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
    const closed = once(child, 'close');
    /** @returns the exit code, if there is one */
    const kill = async (signal: NodeJS.Signals = 'SIGKILL') => {
      child.kill(signal);
      const [code] = await closed;
      return code as number | null;
    };
    onTestFinished(async () => void (await kill()));
    onTestFailed(() => {
      throw new Error(`${file} printed:\n${output}`);
    });
    return { kill, closed, output: () => output };
  }

  return {
    /** A package of the page. */
    load: <T>(name: string) => load(name) as T,
    start,
    /** What a program of the test's own prints, beside those of the page. */
    async run(file: string, text: string, variables: Variables): Promise<string> {
      writeFileSync(path.join(folder, file), text);
      const { closed, output } = start(file, variables);
      const [code] = await closed;
      if (code !== 0) throw new Error(output());
      return output();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

export type PageFolder = ReturnType<typeof pageFolder>;
