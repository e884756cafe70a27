// Pauses of which Redis knows nothing any more, or only something earlier: any process that knows them puts them back.
import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import { until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { member } from './helpers/member.js';
import { redisServer, serverProgram } from './helpers/redis-server.js';

const key = 'concordat:{c}:pauses';
const pauseMs = 600_000;

/** Two processes that know of a pause, one by a message and one because it began during it; the one that met it is gone. */
async function survivors() {
  const server = await redisServer();
  const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: pauseMs, on: '/limited' }] });
  const join = () => member(server, url);
  const [met, heard] = [join(), join()];
  await Promise.all([met.client.get('/'), heard.client.get('/')]);
  met.client.get('/limited').catch(() => {});
  await until(() => heard.client.status.paused);
  const began = join();
  await until(() => began.client.status.paused);
  await met.client.close({ graceMs: 0 });
  await met.state.close();
  return { server, join, heard, began };
}

type Member = ReturnType<typeof member>;

const endOf = ({ client }: Member) => client.status.resumeAt!.getTime();

/** Breaks the connections for commands, and waits until this process has exchanged its pauses with Redis. */
async function reconnect(observer: Redis, process: Member) {
  const sign = randomUUID();
  const told = new Set<string>();
  process.state.onPause(({ scope }) => told.add(scope));
  // Nobody sends a message of this one: who knows it has read it.
  await observer.hset(key, sign, Date.now() + pauseMs);
  await observer.client('KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
  await until(() => told.has(sign));
  await process.state.newer?.(99); // answered after what was put back on the same connection
}

describe.runIf(serverProgram)('a pause that redis has lost is put back (G1, G11)', () => {
  it.each([
    ['heard of it', 'heard'],
    ['began during it', 'began'],
  ] as const)('after a restart without data, by a process that %s', async (_name, who) => {
    const { server, join, ...all } = await survivors();
    const other = who === 'heard' ? all.began : all.heard;
    await other.client.close();
    await other.state.close();
    const end = endOf(all[who]);
    await server.kill();
    await server.restart();
    const late = join();
    await until(() => late.client.status.paused);
    expect(Math.abs(endOf(late) - end)).toBeLessThan(pauseMs / 10);
  });

  it('when it forgets everything, and no connection breaks', async () => {
    const { server, join, heard, began } = await survivors();
    await server.connect().flushall();
    const late = join();
    await until(() => late.client.status.paused);
    expect(Math.abs(endOf(late) - endOf(heard))).toBeLessThan(pauseMs / 10);
    expect([heard, began].flatMap(({ errors }) => errors)).toEqual([]); // control: nobody lost a connection
  });

  it('when it knows only an earlier end, as after a restart with older data', async () => {
    const { server, heard } = await survivors();
    const observer = server.connect();
    const end = Number(await observer.hget(key, ''));
    await observer.hset(key, '', end - pauseMs / 2);
    await reconnect(observer, heard);
    expect(Math.abs(Number(await observer.hget(key, '')) - end)).toBeLessThan(pauseMs / 10);
  });

  it('and does not become longer with each exchange (G2)', async () => {
    const { server, heard } = await survivors();
    const observer = server.connect();
    const end = await observer.hget(key, '');
    for (let time = 0; time < 3; time++) await reconnect(observer, heard);
    expect(await observer.hget(key, '')).toBe(end);
  });
});
