/**
 * Runs the code blocks of README.md and docs/, or only of the given pages: `npm run test:readme -- docs/errors.md`. The blocks
 * of a page run in order, in a new folder, against the built package:
 *
 * - `ts file=NAME`: written to the folder and type-checked; with `run` executed, with `background=PORT` started and left
 *   running until the page ends;
 * - `sh run`: executed by bash in that folder; `after=MS` waits first; `sh file=NAME background=PORT` starts a file that is there;
 * - `json output`, `text output`: what the previous block must print. JSON is compared as a value, text line by
 *   line, where `…` stands for anything;
 * - every other `ts` block is type-checked; other blocks are ignored.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Block, readBlocks } from './markdown-blocks.js';
import { packBuilt } from './pack.js';
import { fileOf, makeFolder, writeFiles, writeTypeScriptConfig } from './page-folder.js';

const root = path.resolve(import.meta.dirname, '..');
const command = (name: string) => path.join(root, 'node_modules/.bin', name);
/** Far more than any block needs, even on a busy machine. */
const timeoutMs = 300_000;

async function checkPage(page: string): Promise<void> {
  const blocks = readBlocks(page, readFileSync(path.join(root, page), 'utf8'));
  const folder = fromNothing.has(page) ? await installAsTold(blocks) : makeFolder(page);
  const background: ChildProcess[] = [];
  try {
    const files = writeFiles(folder, blocks);
    if (files.length > 0) await run(command('tsc'), ['-p', folder], folder);
    let printed: string | undefined;
    for (const [index, block] of blocks.entries()) {
      const { attributes } = block;
      const what = `${page}:${block.line}`;
      if (attributes.background !== undefined) {
        background.push(await start(path.join(folder, fileOf(block, index)), folder, Number(attributes.background)));
      } else if (attributes.run !== undefined) {
        await new Promise((resolve) => setTimeout(resolve, Number(attributes.after ?? 0)));
        const [program, ...words] =
          block.language === 'sh'
            ? ['bash', '-euc', block.text]
            : [command('tsx'), path.join(folder, fileOf(block, index))];
        printed = await run(program as string, words, folder, what);
        console.log(`ran      ${what}`);
      } else if (attributes.output !== undefined) {
        compare(block, printed ?? '', what);
        console.log(`compared ${what}`);
      }
    }
  } finally {
    for (const child of background) child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** These begin in an empty folder, and nothing is installed there but what the page says, from the packed tarball. */
const fromNothing = new Set(['README.md', 'docs/quick-start-service.md']);

/** Runs the page's lines `npm install …` in an empty folder, with the tarball for `concordat`. */
async function installAsTold(blocks: Block[]): Promise<string> {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-readme-'));
  const { tarball } = packBuilt(folder);
  const lines = blocks.filter(({ language }) => language === 'sh').flatMap(({ text }) => text.split('\n'));
  for (const line of lines) {
    const [, words] = /^npm install ([^#]+)/.exec(line) ?? [];
    if (words === undefined) continue;
    const names = words
      .trim()
      .split(/\s+/)
      .map((name) => (name === 'concordat' ? tarball : name));
    await run('npm', ['install', '--no-audit', '--no-fund', ...names], folder, line);
  }
  writeTypeScriptConfig(folder);
  return folder;
}

function run(program: string, words: string[], folder: string, what = program): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1' };
    execFile(program, words, { cwd: folder, timeout: timeoutMs, env }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${what} failed: ${error.message}\n${stdout}${stderr}`));
      else resolve(stdout);
    });
  });
}

async function start(file: string, folder: string, port: number): Promise<ChildProcess> {
  // One process, not a launcher and its child, so that killing it ends it.
  const child = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), file], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const deadline = Date.now() + 15_000;
  while (!(await answers(port))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`${file} does not listen on port ${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return child;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function compare(block: Block, printed: string, what: string): void {
  if (block.language === 'json') {
    assert.deepEqual(JSON.parse(printed), JSON.parse(block.text), `${what}: something else was printed`);
    return;
  }
  const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const expected = block.text.trim().split('\n');
  const actual = printed.trim().split('\n');
  assert.equal(actual.length, expected.length, `${what}: ${actual.length} lines were printed:\n${printed}`);
  for (const [index, line] of expected.entries()) {
    const pattern = new RegExp(`^${line.trimEnd().split('…').map(quoted).join('.*')}$`);
    assert.match(actual[index]?.trimEnd() ?? '', pattern, `${what}, line ${index + 1}`);
  }
}

const everyPage = () =>
  ['README.md', ...readdirSync(path.join(root, 'docs')).map((name) => `docs/${name}`)].filter((name) =>
    name.endsWith('.md'),
  );
const named = process.argv.slice(2);
const pages = named.length > 0 ? named : everyPage();
for (const page of pages) await checkPage(page);
console.log(`${pages.length} pages: every block holds`);
