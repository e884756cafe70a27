// A connector with a quota that writes down which job's request it let through, and how often: what is lost or doubled
// is counted where it matters, not where it is claimed.
import { createServer } from 'node:http';
import { listen } from '../listen.js';
import { type Quota, QuotaCounter } from '../sync/quota.js';
import { answerCommands } from '../worker.js';

export interface Ledger {
  /** Jobs whose request was let through. */
  done: number;
  /** Further requests of such jobs. */
  repeated: number;
  refused: number;
  firstAt: number;
  lastAt: number;
}

let counter: QuotaCounter | undefined;
let times = new Map<string, number>();
let ledger: Ledger = emptyLedger();

const server = createServer((request, response) => {
  const now = Date.now();
  const waitMs = counter?.take(now);
  if (waitMs === undefined) note(request.url ?? '', now);
  else ledger.refused++;
  const body = waitMs === undefined ? '{"id":7}' : '{"errors":{"code":"RATE_LIMITED","message":"Too many requests"}}';
  response.writeHead(waitMs === undefined ? 200 : 403, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(waitMs === undefined ? {} : { 'retry-after': String(Math.ceil(waitMs)) }),
  });
  response.end(body);
});

answerCommands({
  listen: () => listen(server),
  /** Starts a new ledger; without a quota everything is let through. */
  open: (quota: Quota | undefined) => {
    counter = quota && new QuotaCounter(quota);
    times = new Map();
    ledger = emptyLedger();
  },
  ledger: () => ledger,
});

function note(path: string, now: number): void {
  const before = times.get(path) ?? 0;
  times.set(path, before + 1);
  if (before > 0) ledger.repeated++;
  else ledger.done++;
  ledger.firstAt ||= now;
  ledger.lastAt = now;
}

function emptyLedger(): Ledger {
  return { done: 0, repeated: 0, refused: 0, firstAt: 0, lastAt: 0 };
}
