// Four processes, one Redis, a connector that allows 100 requests a second: what is refused and how often they log in
// while workers are killed and Redis fails in every way it knows. All of it is real: npm run bench:processes.
//
//   scripts/with-redis.sh node --import tsx bench/run.ts processes [--quick] [--only hangs] [--into docs]
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../../test/helpers/free-port.js';
import { end, startRedis } from '../../test/integrations/redis/helpers/redis-process.js';
import { openLinks } from '../../test/integrations/redis/helpers/silent-links.js';
import { writeFigures } from '../figures.js';
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

const { url: redisUrl, links } = await openLinks(port);

const server = startWorker('server');
const connectorUrl = await server.call<string>('listen');
const fleet: Worker[] = [];
let failures = 0;

async function join(whenAway: MemberInput['whenAway'] = 'alone'): Promise<void> {
  const member = startWorker('member');
  await member.call('start', { redisUrl, connectorUrl, whenAway } satisfies MemberInput);
  fleet.push(member);
}

/** A caller notices each failed call where it was made. */
async function countFailures(members: readonly Worker[]): Promise<number> {
  const failed = (await Promise.all(members.map((member) => member.call<string[]>('failures')))).flat();
  for (const error of failed.slice(0, 3)) console.error(error);
  return failed.length;
}

interface Part {
  readonly windows: number;
  readonly ledger: Ledger;
  readonly expiries: number;
}

/** Each window has its refused request early: part of a window would count too much or too little. */
const untilWindowEnds = () => sleep(1000 - (Date.now() % 1000));

/** What happened while `during` ran, in whole windows. */
async function watch(during: () => Promise<unknown>): Promise<Part> {
  await untilWindowEnds();
  const [before, from] = [await server.call<Ledger>('ledger'), Date.now()];
  await during();
  await untilWindowEnds();
  const [after, to] = [await server.call<Ledger>('ledger'), Date.now()];
  const ledger = {
    passed: after.passed - before.passed,
    refused: after.refused - before.refused,
    logins: after.logins - before.logins,
  };
  return {
    ledger,
    windows: Math.round((to - from) / 1000),
    expiries: Math.floor(to / 10_000) - Math.floor(from / 10_000),
  };
}

const lines: string[] = [];
const say = (line: string) => {
  console.log(line);
  lines.push(line);
};

function cellsOf({ ledger, windows, expiries }: Part): string[] {
  const unused = Math.max(0, 100 * (1 - ledger.passed / (100 * windows)));
  return [`${ledger.refused}/${windows}`, `${unused.toFixed(1)} %`, `${ledger.logins}/${expiries}`];
}

/** Until a second and a half before all sessions end, so that each trouble sees that. */
const untilSessionsEnd = () => sleep(10_000 - ((Date.now() + 1500) % 10_000));

/** Does it five times, each at another time of a window. */
async function again(harm: () => Promise<unknown>): Promise<void> {
  for (let turn = 0; turn < 5; turn++) {
    await harm();
    await sleep(1200);
  }
}

type Trouble = readonly [string, () => Promise<unknown>, MemberInput['whenAway']?];

const away: readonly Trouble[] = [
  [
    'Redis hangs for 5 s',
    async () => {
      redis.kill('SIGSTOP');
      await sleep(5000);
      redis.kill('SIGCONT');
    },
  ],
  [
    'Redis is killed, and comes back empty after 2 s',
    async () => {
      await end(redis);
      await sleep(2000);
      redis = await start();
    },
  ],
  [
    'all connections to Redis are half-open',
    async () => {
      for (const link of links) link.silent = true;
      await sleep(5000);
    },
  ],
];

const flushAll = '*1\r\n$8\r\nFLUSHALL\r\n';

const troubles: readonly Trouble[] = [
  ['nothing', () => sleep(5000)],
  [
    'a process is killed (`kill -9`), and another starts, five times',
    () =>
      again(async () => {
        const killed = fleet.splice(0, 1);
        failures += await countFailures(killed);
        await killed[0]?.kill();
        await sleep(2000);
        await join();
      }),
  ],
  [
    'Redis forgets everything, five times',
    () => again(async () => links.find(({ silent, far }) => !silent && far.writable)?.far.write(flushAll)),
  ],
  ...away,
  ...away.map(
    ([name, harm]): Trouble => [`${name}; \`whenAway: 'wait'\``, () => harm().then(() => sleep(1000)), 'wait'],
  ),
];

async function renewFleet(whenAway: MemberInput['whenAway']): Promise<void> {
  const old = fleet.splice(0);
  failures += await countFailures(old);
  await Promise.all(old.map((member) => member.stop()));
  await Promise.all(Array.from({ length: 4 }, () => join(whenAway)));
  await sleep(5000); // the quota is learned
}

console.log(`${describeMachine()}; ${new Date().toISOString()}\n`);
const measures = 'refused/windows | unused | logins/sessions ended';
say(`| trouble | ${measures} | afterwards: ${measures} |`);
say('|---|---|---|---|---|---|---|');
let fleetIs: MemberInput['whenAway'] | undefined;
for (const [name, harm, whenAway = 'alone'] of troubles.filter(([name]) => name.includes(only))) {
  if (fleetIs !== whenAway) await renewFleet(whenAway);
  fleetIs = whenAway;
  await untilSessionsEnd();
  const during = await watch(harm);
  await sleep(5000); // until everybody has noticed
  const afterwards = await watch(() => sleep(seconds * 1000));
  say(`| ${[name, ...cellsOf(during), ...cellsOf(afterwards)].join(' | ')} |`);
}
failures += await countFailures(fleet);
say(`\nCalls that failed: ${failures}.`);
await Promise.all([...fleet, server].map((worker) => worker.stop()));
if (into !== undefined) writeFigures(path.join(into, 'scale.md'), 'npm run bench:processes', lines.join('\n'));
process.exit(failures === 0 ? 0 : 1);
