// The end system of the soak: a ledger on disk that takes every entry it is sent, even twice, and a quota.
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { inTransaction, openSqlite } from '../../examples/service/sqlite.js';
import { watchProcess } from '../reading.js';
import { answerCommands } from '../worker.js';

const quotaASecond = 80;

const [file = ''] = process.argv.slice(2);
const ledger = await openSqlite(
  file,
  `pragma busy_timeout = 5000; pragma journal_mode = wal; pragma synchronous = normal;
  create table if not exists entry (marker text not null, value integer not null) strict;
  create index if not exists entry_by_marker on entry (marker);
  create table if not exists settled (marker text primary key) strict`,
);
const find = ledger.prepare('select value from entry where marker = ?');
const insert = ledger.prepare('insert into entry values (?, ?)');
const findSettled = ledger.prepare('select 1 from settled where marker = ?');
const settle = ledger.prepare('insert or ignore into settled values (?)');

async function respond({ method, url = '' }: IncomingMessage, body: string): Promise<[number, object]> {
  const marker = url.slice('/entries/'.length);
  if (method === 'GET') {
    const entry = find.get(marker) as object | undefined;
    return entry === undefined ? [404, { message: `There is no entry ${marker}.` }] : [200, entry];
  }
  const { value } = JSON.parse(body);
  return inTransaction(ledger, () => {
    if (method === 'POST') {
      if (findSettled.get(marker) !== undefined) return [409, { message: `${marker} is settled.` }];
      insert.run(marker, value);
      return [201, { value }];
    }
    // Whoever does not know whether a POST arrived settles it: from then on it is there once, and a late POST is refused.
    settle.run(marker);
    if (find.get(marker) === undefined) insert.run(marker, value);
    return [200, { value }];
  });
}

let [second, used] = [0, 0];
/** Every request is refused until then. */
let refusesUntil = 0;

const server = createServer(async (request, response) => {
  const send = (status: number, body: object, headers = {}) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  const now = Math.floor(performance.now() / 1000);
  if (now !== second) [second, used] = [now, 0];
  if (++used > quotaASecond || performance.now() < refusesUntil)
    return send(429, { message: 'Too many requests.' }, { 'retry-after': '1' });
  try {
    const body = await text(request);
    send(...(await respond(request, body)));
  } catch (error) {
    send(500, { message: String(error) });
  }
});

answerCommands({
  read: watchProcess(),
  refuse(ms: number) {
    refusesUntil = performance.now() + ms;
  },
  start: () =>
    new Promise<number>((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    }),
});
