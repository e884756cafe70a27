/**
 * Runs the code blocks of README.md and docs/, or only of the given pages: `npm run test:readme -- docs/errors.md`. The blocks
 * of a page run in order, in a new folder, against the built package:
 *
 * - `ts file=NAME`: written to the folder and type-checked; with `run` executed, with `background=PORT` started and left
 *   running until the page ends;
 * - `sh run`: executed by bash in that folder; `after=MS` waits first;
 * - `json output`, `text output`: what the previous block must print. JSON is compared as a value, text line by
 *   line, where `…` stands for anything;
 * - every other `ts` block is type-checked; other blocks are ignored.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Block, readBlocks } from './markdown-blocks.js';
import { packBuilt } from './pack.js';

const root = path.resolve(import.meta.dirname, '..');
const command = (name: string) => path.join(root, 'node_modules/.bin', name);
/** Far more than any block needs, even on a busy machine. */
const timeoutMs = 300_000;

async function checkPage(page: string): Promise<void> {
  const blocks = readBlocks(page, readFileSync(path.join(root, page), 'utf8'));
  const folder = fromNothing.has(page) ? await installAsTold(blocks) : makeFolder();
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

/** A project in which `concordat` is this package, and its dependencies are the ones installed here. */
function makeFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-readme-'));
  const modules = path.join(folder, 'node_modules');
  mkdirSync(modules);
  for (const name of readdirSync(path.join(root, 'node_modules'))) {
    if (!name.startsWith('.')) symlinkSync(path.join(root, 'node_modules', name), path.join(modules, name));
  }
  symlinkSync(root, path.join(modules, 'concordat'));
  mkdirSync(path.join(modules, '.bin'));
  symlinkSync(path.join(root, 'dist/cli/main.js'), path.join(modules, '.bin/concordat'));
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type: 'module', private: true }));
  writeTypeScriptConfig(folder);
  return folder;
}

/** For the check only: TypeScript and the types of Node are those of this repository. */
function writeTypeScriptConfig(folder: string): void {
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

function writeFiles(folder: string, blocks: Block[]): string[] {
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

function fileOf(block: Block, index: number): string {
  return block.attributes.file ?? `block-${index}.${block.language}`;
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
