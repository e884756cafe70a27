/**
 * Tries each template as a new user would, from the packed tarball and in an empty folder: `concordat new`, `npm install`,
 * `npm test`, `npm start`, `concordat check`. Then checks the types and runs the build of the Dockerfile.
 *
 *     npm run test:templates             # all
 *     npm run test:templates -- hono     # some
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../test/helpers/free-port.js';
import { pack } from './pack.js';

/** What the documentation promises for the first connector, from `concordat new` to green tests. */
const promisedMs = 120_000;
const stepTimeoutMs = 300_000;
const startTimeoutMs = 30_000;

const all = ['hono', 'express', 'fastify'];
const chosen = process.argv.slice(2);
const unknown = chosen.filter((name) => !all.includes(name));
if (unknown.length > 0) throw new Error(`There is no template ${unknown.join(', ')}. There are ${all.join(', ')}.`);

const root = mkdtempSync(path.join(tmpdir(), 'concordat-templates-'));
try {
  const { tarball, files } = pack(root);
  if (files.some((file) => /(^|\/)node_modules\//.test(file))) throw new Error('node_modules are in the package');
  for (const template of chosen.length > 0 ? chosen : all) await checkTemplate(template, tarball);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function checkTemplate(template: string, tarball: string): Promise<void> {
  const folder = path.join(root, template);
  const project = path.join(folder, 'demo');
  mkdirSync(folder);
  writeFileSync(path.join(folder, 'package.json'), '{"private":true}');
  const seconds: string[] = [];
  const step = async (what: string, where: string, program: string, ...words: string[]) => {
    const startedAt = performance.now();
    const printed = await run(`${template}: ${what}`, where, program, words);
    const tookMs = performance.now() - startedAt;
    seconds.push(`${what} ${(tookMs / 1000).toFixed(1)} s`);
    return { printed, tookMs };
  };

  await step('install concordat', folder, 'npm', 'install', '--no-audit', '--no-fund', tarball);
  const made = await step('new', folder, 'npx', '--no-install', 'concordat', 'new', 'demo', '--template', template);
  checkFiles(template, project, tarball);
  const installed = await step('npm install', project, 'npm', 'install', '--no-audit', '--no-fund');
  const tested = await step('npm test', project, 'npm', 'test');
  const tookMs = made.tookMs + installed.tookMs + tested.tookMs;
  if (tookMs > promisedMs) {
    throw new Error(`${template}: ${Math.round(tookMs / 1000)} s to green tests; ${promisedMs / 1000} s are promised`);
  }

  await whileRunning(template, project, ['npm', 'start'], async (url) => {
    const check = ['--no-install', 'concordat', 'check', url, '--config', 'concordat.config.ts'];
    const { printed } = await step('concordat check', project, 'npx', ...check);
    if (!printed.includes('keeps the contract')) throw new Error(`${template}: the check said\n${printed}`);
  });
  await step('types', project, 'npm', 'run', 'typecheck');
  const mistake = plantMistake(project);
  await step('build', project, 'npm', 'run', 'build');
  await whileRunning(template, project, productionStart(project), async (url, printed) => {
    const { status } = await fetch(`${url}/items`);
    if (status !== 401) throw new Error(`the built connector responded with ${status} without a session`);
    const failed = await fetch(`${url}/items/7`, { headers: { 'x-session': 'any' } });
    if (failed.status !== 500) throw new Error(`a mistake of the author got a ${failed.status}`);
    if (!printed().includes(mistake)) throw new Error(`the log of the mistake does not say ${mistake}`);
  });
  console.log(`${template}: ${seconds.join(', ')}; ${Math.round(tookMs / 1000)} s to green tests`);
}

/** Makes `getItem` throw. @returns the file and line. */
function plantMistake(project: string): string {
  const file = path.join(project, 'src/end-system.ts');
  const [before, head, after] = readFileSync(file, 'utf8').split(/(?<=\n)(export async function getItem.*\n)/);
  writeFileSync(file, `${before}${head}  throw new Error('a mistake of the author');\n${after}`);
  return `src/end-system.ts:${(before as string).split('\n').length + 1}:`;
}

/** What the Dockerfile starts, without Docker. */
function productionStart(project: string): string[] {
  const command = /^CMD (\[.*\])$/m.exec(readFileSync(path.join(project, 'Dockerfile'), 'utf8'))?.[1] ?? '[]';
  return ['env', 'NODE_ENV=production', 'END_SYSTEM_URL=http://127.0.0.1:9', ...JSON.parse(command)];
}

/** What `npm test` cannot see: files that npm would leave out of a package, and tokens that were not filled in. */
function checkFiles(template: string, project: string, tarball: string): void {
  for (const file of ['.gitignore', '.dockerignore', '.github/workflows/ci.yml', 'Dockerfile', 'AGENTS.md']) {
    if (!existsSync(path.join(project, file))) throw new Error(`${template}: ${file} is missing`);
  }
  for (const file of readdirSync(project, { recursive: true, withFileTypes: true })) {
    const name = path.join(file.parentPath, file.name);
    const token = file.isFile() && /(?<!\$)\{\{.*?\}\}/.exec(readFileSync(name, 'utf8'));
    if (token) throw new Error(`${template}: ${name} still says ${token[0]}`);
  }
  const { dependencies } = JSON.parse(readFileSync(path.join(project, 'package.json'), 'utf8'));
  const wanted = `file:../../${path.basename(tarball)}`;
  if (dependencies.concordat !== wanted) {
    throw new Error(`${template}: it depends on ${dependencies.concordat}, not on the running package, ${wanted}`);
  }
}

function run(what: string, cwd: string, program: string, words: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, NO_COLOR: '1', FORCE_COLOR: undefined };
    execFile(program, words, { cwd, env, timeout: stepTimeoutMs, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error) reject(new Error(`${what} failed: ${error.message}\n${stdout}\n${stderr}`));
      else resolve(stdout);
    });
  });
}

/** Starts a connector on a free port, and stops it with a signal, as a terminal or a container does. */
async function whileRunning(
  template: string,
  cwd: string,
  [program = '', ...words]: string[],
  use: (url: string, printed: () => string) => Promise<void>,
): Promise<void> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  // A group of its own: `npm start` is npm, a shell and node, and the signal of a terminal reaches all of them.
  const child = spawn(program, words, {
    cwd,
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let printed = '';
  for (const output of [child.stdout, child.stderr]) output.on('data', (text) => (printed += text));
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  try {
    await waitUntilItAnswers(child, url);
    await use(url, () => printed);
  } catch (error) {
    throw new Error(`${template}: ${[program, ...words].join(' ')}: ${(error as Error).message}\n${printed}`);
  } finally {
    signal(child, 'SIGINT');
    const timer = setTimeout(() => signal(child, 'SIGKILL'), 10_000);
    await ended;
    clearTimeout(timer);
  }
  if (child.signalCode === 'SIGKILL') throw new Error(`${template}: it did not end on SIGINT\n${printed}`);
}

async function waitUntilItAnswers(child: ChildProcess, url: string): Promise<void> {
  const deadline = Date.now() + startTimeoutMs;
  while (Date.now() < deadline && child.exitCode === null) {
    const answered = await fetch(url).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('nothing responds');
}

function signal(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    process.kill(-(child.pid as number), name);
  } catch {
    // It has ended.
  }
}
