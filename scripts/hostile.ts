// What hostile traffic leaves behind in a server, beside plain node:http: `npm run hostile`. See docs/performance.md.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Table from 'cli-table3';
import type { Reading } from '../bench/reading.js';
import { Clients, traffic } from './hostile/traffic.js';

const contenders = ['node:http', 'serve()', 'reference service'];
const contenderModule = fileURLToPath(new URL('./hostile/contender.ts', import.meta.url));
const shortTimeouts = new URL('./hostile/short-timeouts.mjs', import.meta.url).href;

/** Refused connections must be closed within this time. */
const momentMs = 1000;
/** Longer than any of the time-outs, which are 3 and 6 s and looked at every second; the idle ones have 5 s. */
const settleMs = 12_000;

interface Measured {
  readonly contender: string;
  readonly before: Reading;
  /** A moment after each kind of traffic. */
  readonly during: readonly Reading[];
  /** The sockets that each kind of traffic has added by then. */
  readonly held: readonly number[];
  /** While the clients still hold their ends. */
  readonly after: Reading;
  readonly answersMs: number;
}

async function measure(contender: string): Promise<Measured> {
  const child = fork(contenderModule, [contender], {
    // The time-outs first: modules that are loaded later would have the server as it was.
    execArgv: ['--import', shortTimeouts, ...process.execArgv, '--expose-gc'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    await answerTime(url); // what is compiled and cached once is no trace of the traffic
    await askFor(child);
    const before = await askFor(child);
    const clients = new Clients(url);
    const during: Reading[] = [];
    const held: number[] = [];
    for (const { name, send } of traffic) {
      process.stdout.write(`${contender}: ${name}\n`);
      const { sockets } = await askFor(child);
      await send(clients);
      await setTimeout(momentMs);
      const reading = await askFor(child);
      during.push(reading);
      held.push(Math.max(0, reading.sockets - sockets));
    }
    await setTimeout(settleMs);
    const after = await askFor(child);
    const answersMs = await answerTime(url);
    clients.close();
    return { contender, before, during, held, after, answersMs };
  } finally {
    child.kill();
  }
}

async function askFor(child: ChildProcess): Promise<Reading> {
  const reading = once(child, 'message') as Promise<[Reading]>;
  child.send('read');
  return (await reading)[0];
}

/** How long an ordinary request takes. @throws Error when there is no response. */
async function answerTime(url: string): Promise<number> {
  const startedAt = performance.now();
  const response = await fetch(`${url}/api/v1/me`, {
    headers: { connection: 'close' },
    signal: AbortSignal.timeout(30_000),
  });
  await response.text();
  return performance.now() - startedAt;
}

/** So much more than plain node:http may be left: a socket that is just closing, caches, a busy machine. */
const slack = { sockets: 2, descriptors: 4, heapBytes: 16 * 1024 * 1024, delayFactor: 10, delayMs: 500 };

function complaintsOf(measured: Measured, plain: Measured): string[] {
  const complaints: string[] = [];
  const left = ({ before, after }: Measured, name: 'sockets' | 'descriptors' | 'heapBytes') =>
    after[name] - before[name];
  for (const name of ['sockets', 'descriptors', 'heapBytes'] as const) {
    const [own, theirs] = [left(measured, name), left(plain, name)];
    if (own > Math.max(0, theirs) + slack[name])
      complaints.push(`${measured.contender}: ${own} ${name} are left, of node:http ${theirs}`);
  }
  for (const [index, { name, isRefused }] of traffic.entries()) {
    const of = (which: Measured) => [which.held[index] ?? 0, which.during[index]?.longestDelayMs ?? 0] as const;
    const [[held, delayMs], [plainHeld, plainMs]] = [of(measured), of(plain)];
    if (isRefused && held > plainHeld + slack.sockets) {
      complaints.push(
        `${measured.contender}: ${name}: ${held} sockets are open a second later, of node:http ${plainHeld}`,
      );
    }
    if (delayMs > Math.max(slack.delayMs, plainMs * slack.delayFactor)) {
      complaints.push(
        `${measured.contender}: ${name}: the event loop is held up for ${delayMs.toFixed(0)} ms, of node:http ${plainMs.toFixed(0)} ms`,
      );
    }
  }
  return complaints;
}

function printTables(all: readonly Measured[]): void {
  const left = new Table({ head: ['', 'sockets', 'descriptors', 'heap, MiB', 'an answer, ms'] });
  const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(1);
  for (const { contender, before, after, answersMs } of all) {
    left.push([`${contender}, before`, before.sockets, before.descriptors, mebibytes(before.heapBytes), '']);
    left.push([
      `${contender}, after`,
      after.sockets,
      after.descriptors,
      mebibytes(after.heapBytes),
      answersMs.toFixed(1),
    ]);
  }
  const names = all.map(({ contender }) => contender);
  const held = new Table({ head: ['sockets open a second later', ...names] });
  const delays = new Table({ head: ['longest delay of the event loop, ms', ...names] });
  for (const [index, { name, isRefused }] of traffic.entries()) {
    if (isRefused) held.push([name, ...all.map((measured) => measured.held[index] ?? 0)]);
    delays.push([name, ...all.map(({ during }) => (during[index]?.longestDelayMs ?? 0).toFixed(0))]);
  }
  for (const table of [left, held, delays]) console.log(String(table));
}

const all: Measured[] = [];
for (const contender of contenders) all.push(await measure(contender));
printTables(all);
const [plain, ...others] = all as [Measured, ...Measured[]];
const complaints = others.flatMap((measured) => complaintsOf(measured, plain));
for (const complaint of complaints) console.log(complaint);
console.log(complaints.length === 0 ? 'Nothing more is left than of plain node:http.' : '');
process.exitCode = complaints.length === 0 ? 0 : 1;
