// A connector with a quota for each contender: its first path segment says which. Waits are in milliseconds, so that a
// window of a second can be told exactly.
import { createServer } from 'node:http';
import { listen } from '../listen.js';
import { answerCommands } from '../worker.js';
import { type Quota, QuotaCounter } from './quota.js';

const counters = new Map<string, QuotaCounter>();
const announcing = new Set<QuotaCounter>();

const server = createServer((request, response) => {
  const counter = counters.get(request.url?.split('/')[1] ?? '');
  const now = performance.now();
  const waitMs = counter?.take(now);
  const status = waitMs === undefined ? 200 : 403;
  const body =
    waitMs === undefined
      ? '{"id":7}'
      : '{"errors":{"code":"RATE_LIMITED","message":"Too many requests"},"message":"secondary rate limit"}';
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': body.length,
    ...(counter && announcing.has(counter) ? counter.announce(now) : {}),
    ...(waitMs === undefined ? {} : { 'retry-after': String(Math.ceil(waitMs)) }),
  });
  response.end(body);
});

answerCommands({
  listen: () => listen(server),
  open: ({ name, quota, announces }: { name: string; quota: Quota; announces: boolean }) => {
    const counter = new QuotaCounter(quota);
    counters.set(name, counter);
    if (announces) announcing.add(counter);
  },
  tally: (name: string) => counters.get(name)?.tally,
});
