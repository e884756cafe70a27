// One way to synchronize in its own process: contender.js <name>. In virtual time nothing but the timers is replaced,
// before any client is loaded, so that every client runs as it is.
import { setImmediate as breathe } from 'node:timers/promises';
import { answerCommands } from '../worker.js';
import { contenders, isTold } from './contenders.js';
import { type Quota, QuotaCounter, type Tally } from './quota.js';

interface Input {
  quota: Quota;
  count: number;
  concurrency: number;
  /** Where a server with the quota listens; without one time is virtual. */
  url?: string;
}

export interface Outcome {
  wallMs: number;
  cpuMs: number;
  tally?: Tally;
}

const [name = ''] = process.argv.slice(2);
const latencyMs = 20;

answerCommands({
  run: (input: Input) => (input.url === undefined ? runVirtually(input) : synchronize({ ...input, url: input.url })),
});

async function synchronize(
  { url, count, concurrency }: Input & { url: string },
  fetch = globalThis.fetch,
  headerUnitMs = 1,
): Promise<Outcome> {
  const send = await contenders[name]?.({ url, fetch, headerUnitMs, concurrency });
  if (send === undefined) throw new Error(`no contender is called ${name}`);
  let next = 0;
  const lane = async () => {
    while (next < count) await send(`/issues/${next++}`);
  };
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  await Promise.all(Array.from({ length: concurrency }, lane));
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallMs: performance.now() - startedAtMs, cpuMs: (user + system) / 1000 };
}

async function runVirtually({ quota, ...input }: Input): Promise<Outcome> {
  const { default: fakeTimers } = (await import('@sinonjs/fake-timers' as string)) as { default: FakeTimers };
  const clock = fakeTimers.install({
    now: 1_800_000_000_000,
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
  });
  const counter = new QuotaCounter(quota);
  const fetch = async () => {
    await new Promise((resolve) => setTimeout(resolve, latencyMs / 2));
    const waitMs = counter.take(Date.now());
    await new Promise((resolve) => setTimeout(resolve, latencyMs / 2));
    return respond(waitMs, isTold(name) ? counter.announce(Date.now()) : {});
  };
  const running = { done: false };
  const run = synchronize({ ...input, quota, url: 'http://connector.invalid' }, fetch as typeof globalThis.fetch, 1000);
  const finished = run.finally(() => {
    running.done = true;
  });
  finished.catch(() => {});
  while (!running.done) {
    for (let turn = 0; turn < 3; turn++) await breathe(); // whatever is ready runs before time moves on
    if (!running.done && clock.countTimers() > 0) clock.next();
  }
  const outcome = await finished;
  clock.uninstall();
  return { ...outcome, tally: counter.tally };
}

const json = { 'content-type': 'application/json' };

/** The words of a refusal are what octokit recognizes a limit by. */
function respond(waitMs: number | undefined, announced: Record<string, string>): Response {
  if (waitMs === undefined) return new Response('{"id":7}', { headers: { ...json, ...announced } });
  const body = JSON.stringify({
    errors: { code: 'RATE_LIMITED', message: 'Too many requests' },
    message: 'secondary rate limit',
  });
  const headers = { ...json, ...announced, 'retry-after': String(Math.ceil(waitMs / 1000)) };
  return new Response(body, { status: 403, headers });
}

interface FakeTimers {
  install(options: object): { countTimers(): number; next(): void; uninstall(): void };
}
