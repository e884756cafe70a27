// The service and its workers as processes of their own, before a GitHub and a connector that outlive them.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../../../../examples/github/connector.js';
import { type EmulatedGitHub, startEmulatedGitHub } from '../../../../examples/service/emulated-github.js';
import { eachOf } from '../../../../examples/service/engine/each-of.js';
import { openQueue } from '../../../../examples/service/fleet/queue.js';
import { seededRandom } from '../../../simulation/seeded-random.js';
import { root, serviceArguments, serviceEnvironment } from '../../service-environment.js';

interface KillOptions {
  redisUrl: string;
  seed: number;
  issues?: number;
  workers?: number;
  /** So many workers are killed, at creations that follow from the seed. */
  kills?: number;
  /** They are killed at these creations instead. */
  at?: readonly number[];
  /** `freeze` stops workers instead, and lets them go on when all is done: as a machine that was suspended. */
  fault?: 'kill' | 'freeze';
}

export interface Killed {
  /** What is wrong; nothing should be. */
  problems: string[];
  kills: number;
  /** Pages that were begun more than once. */
  repeated: number;
  seconds: number;
  summary: Record<string, unknown>;
}

/** Long enough for a busy machine, short enough for a test: a killed worker is missed after so long. */
const lockMs = 15_000;

/**
 * A run for each seed, two at once, because a run waits most of its time: each in a database of Redis of its own.
 *
 * @returns what is wrong, a line for each problem; nothing should be
 */
export async function killRuns(
  redisUrl: string,
  seeds: readonly number[],
  told: (seed: number, killed: Killed) => void = () => {},
): Promise<string[]> {
  const problems: string[] = [];
  const databases = [1, 2];
  const signal = new AbortController().signal;
  await eachOf(seeds, { concurrency: databases.length, signal }, async (seed) => {
    const database = databases.pop() as number;
    const killed = await killWorkers({ redisUrl: `${redisUrl}/${database}`, seed });
    databases.push(database);
    problems.push(...killed.problems.map((problem) => `seed ${seed}: ${problem}`));
    told(seed, killed);
  });
  return problems;
}

/** The emulator cannot be started twice at the same time. */
let starting: Promise<unknown> = Promise.resolve();

function startGitHub(issues: number): Promise<EmulatedGitHub> {
  const github = starting.then(() => startEmulatedGitHub(issues));
  starting = github;
  return github;
}

/**
 * One synchronization from nothing. A worker is killed when a creation has just been done and its response is not sent yet,
 * or some milliseconds later; another one takes its place. Which worker and when follow from the seed.
 */
export async function killWorkers(options: KillOptions): Promise<Killed> {
  const { redisUrl, seed, issues = 120, workers = 3, kills = 2, at, fault = 'kill' } = options;
  const startedAt = performance.now();
  const random = seededRandom(seed);
  const github = await startGitHub(issues);
  const moments = new Set(at ?? Array.from({ length: kills }, () => 1 + Math.floor(random() * (issues - 1))));
  const creations: number[] = [];
  let onCreation: (count: number) => void = () => {};
  const connector = createGitHubConnector();
  const server = await serve(
    {
      async fetch(request: Request) {
        const isCreation = request.method === 'POST' && new URL(request.url).pathname === '/issues';
        const response = await connector.fetch(request);
        if (isCreation) onCreation(creations.push(response.status));
        return response;
      },
    },
    { port: 0 },
  );
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-kill-sync-'));
  const environment = serviceEnvironment({
    ...{ REDIS_URL: redisUrl, CONNECTOR_URL: server.url, SESSION_KEY: 'k'.repeat(32), LOCK_MS: String(lockMs) },
    ...{ GITHUB_API_URL: github.apiUrl, GITHUB_TOKEN: github.token, CONCORDAT_DATA: directory, CONCURRENCY: '4' },
    ...{ SOURCE_REPO: github.source, TARGET_REPO: github.target },
  });
  const output: string[] = [];
  const start = (args: readonly string[]) => {
    const child = spawn(process.execPath, args, { cwd: root, env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => output.push(String(text)));
    return child;
  };
  const fleet: ChildProcess[] = [];
  const frozen: ChildProcess[] = [];
  const startWorker = () => void fleet.push(start(['--import', 'tsx', 'examples/service/worker.ts']));
  let killed = 0;
  onCreation = (count) => {
    if (!moments.has(count)) return;
    killed++;
    const victim = fleet.splice(Math.floor(random() * fleet.length), 1)[0] as ChildProcess;
    const strike = () => victim.kill(fault === 'kill' ? 'SIGKILL' : 'SIGSTOP');
    if (fault === 'freeze') frozen.push(victim);
    if (fault === 'freeze' || random() < 0.5) strike();
    else setTimeout(strike, random() * 30);
    startWorker();
  };
  try {
    for (let worker = 0; worker < workers; worker++) startWorker();
    const service = start([...serviceArguments, '--once', '--json', '--no-admin']);
    let stdout = '';
    service.stdout?.on('data', (text) => {
      stdout += text;
    });
    const [code] = await once(service, 'close');
    await Promise.all(frozen.map((worker) => thaw(worker)));
    const summary = readSummary(stdout);
    const problems = await compare(github);
    if (code !== 0) problems.push(`the service ended with ${code}:\n${output.join('')}`);
    if (killed !== moments.size) problems.push(`${killed} of ${moments.size} kills took place`);
    if (creations.length !== issues) problems.push(`${creations.length} creations of ${issues} issues`);
    const repeated = await countRepeated(redisUrl, Date.now() - (performance.now() - startedAt));
    if (repeated > killed) problems.push(`${repeated} pages repeated after ${killed} kills`);
    return { problems, kills: killed, repeated, seconds: (performance.now() - startedAt) / 1000, summary };
  } finally {
    await Promise.all([...fleet, ...frozen].map((child) => end(child)));
    await server.close({ graceMs: 0 });
    await github.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Both ends as GitHub itself has them, without the service's own code. @returns what is lost, doubled or different */
async function compare(github: EmulatedGitHub): Promise<string[]> {
  const [source, target] = await Promise.all([read(github, github.source), read(github, github.target)]);
  const originOf = ({ body }: GitHubIssue) => Number(/#(\d+) -->\s*$/.exec(body ?? '')?.[1]);
  const problems: string[] = [];
  for (const issue of source) {
    const [mirror, ...more] = target.filter((candidate) => originOf(candidate) === issue.number);
    if (mirror === undefined) problems.push(`${issue.number} is lost`);
    else if (more.length > 0) problems.push(`${issue.number} is there ${more.length + 1} times`);
    else if (mirror.title !== issue.title || mirror.state !== issue.state) problems.push(`${issue.number} differs`);
  }
  if (target.length > source.length) problems.push(`${target.length} mirrors of ${source.length} issues`);
  return problems;
}

/** Lets it go on with what it had in hand, and waits until it has ended by itself. */
async function thaw(worker: ChildProcess): Promise<void> {
  const closed = once(worker, 'close');
  worker.kill('SIGCONT');
  worker.kill('SIGTERM');
  await closed;
}

/** Pages that more than one worker began. */
async function countRepeated(redisUrl: string, sinceMs: number): Promise<number> {
  const { queue, close } = openQueue(redisUrl, () => {});
  const jobs = await queue.getJobs(['completed', 'failed']);
  await close();
  return jobs.filter(
    ({ name, timestamp, attemptsStarted }) => name === 'page' && timestamp >= sinceMs && attemptsStarted > 1,
  ).length;
}

interface GitHubIssue {
  number: number;
  title: string;
  body: string | null;
  state: string;
}

async function read(github: EmulatedGitHub, repository: string): Promise<GitHubIssue[]> {
  const issues: GitHubIssue[] = [];
  for (let page = 1; ; page++) {
    const query = `state=all&per_page=100&sort=created&direction=asc&page=${page}`;
    const response = await fetch(`${github.apiUrl}/repos/${repository}/issues?${query}`, {
      headers: { authorization: 'Bearer comparing' },
    });
    const found = (await response.json()) as GitHubIssue[];
    issues.push(...found);
    if (found.length < 100) return issues;
  }
}

function readSummary(stdout: string): Record<string, unknown> {
  const line = stdout.trimEnd().split('\n').at(-1);
  return line ? JSON.parse(line) : {};
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGKILL');
  await closed;
}
