// The service of the soak: `service <name> <journal> <url of a connector>…`. Writes entries through every connector, reads
// each one back, and keeps a journal of what it has begun and done, so that a kill leaves nothing in doubt.
import { openSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { isConnectorError } from 'concordat';
import { type ConnectorClient, createConnectorClient, isInitializeError, isRequestError } from 'concordat/client';
import { openSqlite } from '../../examples/service/sqlite.js';
import { watchProcess } from '../reading.js';
import { answerCommands } from '../worker.js';
import { clock, step } from './stepped-clock.js';

const lanesOfClient = 4;

const [name = '', file = '', ...urls] = process.argv.slice(2);
const journal = await openSqlite(
  file,
  `pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal;
  create table if not exists entry (marker text primary key, value integer not null, done integer not null) strict`,
);
const begin = journal.prepare('insert into entry values (?, ?, 0)');
const finish = journal.prepare('update entry set done = 1 where marker = ?');

const clients = urls.map((baseUrl) =>
  createConnectorClient({
    baseUrl,
    initialize: { parameters: { user: name }, timeoutMs: 10_000 },
    timeoutMs: 4000,
    retry: { minTimeoutMs: 50, maxTimeoutMs: 1000 },
    clock,
  }),
);
const facts = { done: 0, settled: 0, pauses: 0, logins: 0 };
for (const client of clients) {
  client.on('pause', () => facts.pauses++);
  client.on('initialize', () => facts.logins++);
}
/** What no trouble explains. */
const wrong: string[] = [];
let isStopping = false;

/** What a kill, a cut line or a full disk may lead to. Anything else is a defect. */
function isTrouble(error: unknown): boolean {
  if (isRequestError(error)) return error.code === 'NETWORK_ERROR' || error.code === 'TIMEOUT';
  return isInitializeError(error) ? !error.refused : isConnectorError(error) && error.status >= 500;
}

/** Tries until it works. */
async function surely<Result>(what: string, work: () => Result | Promise<Result>, isOk = isTrouble): Promise<Result> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isOk(error)) {
        wrong.push(`${what}: ${error}`);
        throw error;
      }
      await pause(100);
    }
  }
}

const isDiskTrouble = (error: unknown) => /full|I\/O/i.test(String(error));

async function write(client: ConnectorClient, marker: string, value: number): Promise<void> {
  const path = `/entries/${marker}`;
  await surely('journal', () => begin.run(marker, value), isDiskTrouble);
  try {
    await client.post(path, { json: { value } });
  } catch (error) {
    if (!isTrouble(error)) wrong.push(String(error));
    await settle(client, marker, value);
  }
  await surely('journal', () => finish.run(marker), isDiskTrouble);
  facts.done++;
  const found = await surely('read', () => client.get<{ value: number }>(path));
  if (found.value !== value) wrong.push(`${path} holds ${found.value} instead of ${value}`);
}

async function settle(client: ConnectorClient, marker: string, value: number): Promise<void> {
  await surely('settle', () => client.put(`/entries/${marker}`, { json: { value } }));
  facts.settled++;
}

async function lane(client: ConnectorClient, label: string): Promise<void> {
  for (let value = 1; !isStopping; value++) await write(client, `${label}-${value}`, value);
}

async function run(): Promise<void> {
  const left = journal.prepare('select marker, value from entry where done = 0').all();
  for (const { marker, value } of left as { marker: string; value: number }[]) {
    await settle(clients[0]!, marker, value);
    await surely('journal', () => finish.run(marker), isDiskTrouble);
  }
  const life = `${name}-${Date.now()}`;
  const lanes = clients.flatMap((client, index) =>
    Array.from({ length: lanesOfClient }, (_, number) => lane(client, `${life}-${index}-${number}`)),
  );
  await Promise.all(lanes);
}

const read = watchProcess();
let running: Promise<void> = Promise.resolve();
answerCommands({
  read,
  step,
  start() {
    running = run();
    running.catch((error) => wrong.push(String(error)));
  },
  facts: () => facts,
  /** Ends what is begun, closes the clients and says what was wrong. */
  async drain() {
    isStopping = true;
    await running.catch(() => {});
    await Promise.all(clients.map((client) => client.close()));
    return wrong;
  },
  /** The mutant: what a connection that is never closed leaves behind. */
  leak: () => void openSync('/dev/null', 'r'),
});
