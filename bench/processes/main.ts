// Four processes, one redis, a connector that allows 100 requests a second: what is refused and how often they log in
// while workers are killed and redis fails in every way it knows. All of it is real: npm run bench:processes.
//
//   scripts/with-redis.sh node --import tsx bench/run.ts processes [--quick] [--only hangs] [--into docs]
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/helpers/free-port.js';
import { end, startRedis } from '../../test/integrations/redis/helpers/redis-process.js';
import { writeFigures } from '../figures.js';
import { listen } from '../listen.js';
import { describeMachine } from '../machine.js';
import { startWorker, type Worker } from '../worker.js';
import type { MemberInput } from './member.js';
import type { Ledger } from './server.js';

const { quick, into, only } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    into: { type: 'string' },
    only: { type: 'string', default: '' },
  },
}).values;
const seconds = quick ? 5 : 30;

const program = process.env.CONCORDAT_REDIS_SERVER;
if (program === undefined) {
  console.log('SKIPPED: there is no redis-server. Use: npm run bench:processes');
  process.exit();
}
const port = await freePort();
const directory = mkdtempSync(path.join(tmpdir(), 'concordat-bench-processes-'));
const start = () => startRedis(program, { port, directory });
let redis = await start();
process.once('exit', () => {
  redis.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

/** A way to redis on which connections can die as behind a load balancer: nothing passes, and nobody is told. */
const links: { near: Socket; far: Socket; silent: boolean }[] = [];
const proxy = createServer({ allowHalfOpen: true }, (near) => {
  const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const link = { near, far, silent: false };
  links.push(link);
  const pass = (from: Socket, to: Socket) => {
    from.on('data', (bytes) => !link.silent && to.write(bytes));
    from.on('end', () => !link.silent && to.end());
    from.on('error', () => to.destroy());
  };
  pass(near, far);
  pass(far, near);
});
const redisUrl = (await listen(proxy as never)).replace('http', 'redis');

const server = startWorker('server');
const input: MemberInput = { redisUrl, connectorUrl: await server.call<string>('listen') };
const fleet: Worker[] = [];
let failures = 0;

async function join(): Promise<void> {
  const member = startWorker('member');
  await member.call('start', input);
  fleet.push(member);
}

/** A caller notices each failed call where it was made. */
async function countFailures(): Promise<number> {
  const tallies = await Promise.all(fleet.map((member) => member.call<{ failed: string[] }>('tally')));
  for (const error of tallies.flatMap(({ failed }) => failed).slice(0, 3)) console.error(error);
  return tallies.reduce((sum, { failed }) => sum + failed.length, 0);
}

interface Part {
  readonly windows: number;
  readonly ledger: Ledger;
  readonly expiries: number;
}

/** What happened while `during` ran. */
async function watch(during: () => Promise<unknown>): Promise<Part> {
  const [before, from] = [await server.call<Ledger>('ledger'), Date.now()];
  await during();
  const [after, to] = [await server.call<Ledger>('ledger'), Date.now()];
  const ledger = {
    passed: after.passed - before.passed,
    refused: after.refused - before.refused,
    logins: after.logins - before.logins,
  };
  return { ledger, windows: (to - from) / 1000, expiries: Math.floor(to / 10_000) - Math.floor(from / 10_000) };
}

const lines: string[] = [];
const say = (line: string) => {
  console.log(line);
  lines.push(line);
};

function row(name: string, { ledger, windows, expiries }: Part): void {
  const unused = Math.max(0, 100 * (1 - ledger.passed / (100 * windows)));
  const cells = [
    windows.toFixed(0),
    (ledger.refused / windows).toFixed(2),
    `${unused.toFixed(1)} %`,
    expiries,
    ledger.logins,
  ];
  say(`| ${[name, ...cells].join(' | ')} |`);
}

const troubles: readonly (readonly [string, () => Promise<unknown>])[] = [
  ['nothing', () => sleep(5000)],
  [
    'a process is killed (`kill -9`), and another starts',
    async () => {
      failures += await countFailures();
      await fleet.shift()?.kill();
      await sleep(2000);
      await join();
    },
  ],
  [
    'redis hangs for 5 s',
    async () => {
      redis.kill('SIGSTOP');
      await sleep(5000);
      redis.kill('SIGCONT');
    },
  ],
  [
    'redis is killed, and comes back empty after 2 s',
    async () => {
      await end(redis);
      await sleep(2000);
      redis = await start();
    },
  ],
  [
    'redis forgets everything',
    async () => {
      links.find(({ silent }) => !silent)?.far.write('*1\r\n$8\r\nFLUSHALL\r\n');
      await sleep(5000);
    },
  ],
  [
    'all connections to redis are half-open',
    async () => {
      for (const link of links) link.silent = true;
      await sleep(5000);
    },
  ],
];

await Promise.all(Array.from({ length: 4 }, join));
await sleep(5000); // the quota is learned
console.log(`${describeMachine()}; ${new Date().toISOString()}\n`);
say('| trouble | windows | refused a window | unused | sessions ended | logins |');
say('|---|---|---|---|---|---|');
for (const [name, harm] of troubles.filter(([name]) => name.includes(only))) {
  row(name, await watch(harm));
  await sleep(5000); // until everybody has noticed
  row('afterwards', await watch(() => sleep(seconds * 1000)));
}
failures += await countFailures();
say(`\nCalls that failed: ${failures}.`);
await Promise.all([...fleet, server].map((worker) => worker.stop()));
if (into !== undefined) writeFigures(path.join(into, 'scale.md'), 'npm run bench:processes', lines.join('\n'));
process.exit(failures === 0 ? 0 : 1);
