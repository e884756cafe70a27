// Copies a large file from one connector to another, through limits, ended sessions and a broken connection: `npm run copy`.
// See docs/files.md.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { createConnectorClient } from 'concordat/client';
import { hashOf } from './copy/content.js';
import { toCount } from './share-out.js';

interface Facts {
  grewBytes: number;
  logins: number;
  requests: number;
}

const { megabytes } = new Command('npm run copy --')
  .description('Copies a file from one connector to another, and says what that took of memory.')
  .option('--megabytes <number>', 'how large it is', toCount, 1024)
  .parse()
  .opts<{ megabytes: number }>();
const bytes = megabytes * 1024 * 1024;
/** What Node itself may take for buffers of sockets and for what is not yet collected. */
const mostBytes = 64 * 1024 * 1024;

const script = fileURLToPath(new URL('./copy/connector.ts', import.meta.url));
const connectors = ['source', 'target'].map((role) =>
  fork(script, [role, String(bytes)], { execArgv: process.execArgv }),
);
const [source, target] = (await Promise.all(connectors.map(toClient))) as [Client, Client];

type Client = Awaited<ReturnType<typeof toClient>>;

async function toClient(child: ChildProcess) {
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  const initialize = { parameters: { user: 'ada' } };
  return createConnectorClient({ baseUrl: url, initialize, timeoutMs: 3_600_000, retry: { minTimeoutMs: 10 } });
}

const before = process.memoryUsage.rss();
let most = before;
const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
const startedAt = performance.now();

const file = async () => (await source.stream('/files/7')).body;
const arrived = await target.put<{ sha256: string; bytes: number }>('/files/7', { body: file });

const seconds = (performance.now() - startedAt) / 1000;
clearInterval(watch);
await Promise.all([source.close(), target.close()]);
const facts = await Promise.all(connectors.map(ask));
const grew = [most - before, ...facts.map(({ grewBytes }) => grewBytes)];
const isWhole = arrived.bytes === bytes && arrived.sha256 === hashOf(bytes);

const toMiB = (count: number) => `${(count / 1024 / 1024).toFixed(0)} MiB`;
console.log(`${toMiB(arrived.bytes)} in ${seconds.toFixed(1)} s, SHA-256 ${isWhole ? 'equal' : 'DIFFERENT'}`);
console.log(
  `limits and ended sessions on both sides: ${facts.map(({ requests, logins }) => `${requests} requests, ${logins} logins`).join('; ')}`,
);
console.log(`memory grew by ${grew.map(toMiB).join(', ')} (service, source, target); ${toMiB(mostBytes)} are allowed`);
if (!isWhole || grew.some((count) => count > mostBytes)) process.exitCode = 1;

async function ask(child: ChildProcess): Promise<Facts> {
  child.send('how are you?');
  const [told] = (await once(child, 'message')) as [Facts];
  child.disconnect();
  return told;
}
