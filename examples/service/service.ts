import { setTimeout as delay } from 'node:timers/promises';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../github/connector.js';
import { startEmulatedGitHub } from './emulated-github.js';
import type { GitHubOptions, ServiceOptions } from './options.js';
import { countTraffic, type Summary, summaryTable } from './summary.js';
import { type End, synchronize } from './sync.js';
import { Tally } from './tally.js';
import { createScreen, type Screen } from './terminal.js';

interface Ends {
  source: End;
  target: End;
}

/**
 * Runs everything in one process: the end system (emulated, or a real one elsewhere), the connector, and the
 * synchronisation that calls it: once, or again and again until the signal.
 *
 * @returns whether both ends were equal after the last synchronisation.
 */
export async function runService(options: ServiceOptions, signal: AbortSignal): Promise<boolean> {
  const screen = createScreen(options.json ? process.stderr : process.stdout);
  const onDefect = (error: unknown) => screen.line(`The connector has a defect: ${String(error)}`);
  const closers: (() => void | Promise<void>)[] = [() => screen.clear()];
  try {
    const github = options.github ?? (await emulate(options.issues, screen, closers));
    const connector = await serve(createGitHubConnector({ ...options, onDefect }), { port: 0 });
    closers.push(() => connector.close());
    screen.line(`Connector: ${connector.url}`);
    const connect = (name: string, repository: string): End => {
      const client = createConnectorClient({
        baseUrl: connector.url,
        initialize: {
          parameters: [
            { key: 'baseUrl', value: github.apiUrl, sensitive: false },
            { key: 'token', value: github.token, sensitive: true },
            { key: 'repository', value: repository, sensitive: false },
          ],
        },
        cleanup: {},
      });
      closers.push(() => client.close());
      client.on('pause', ({ waitMs, resumeAt }) => screen.pause(name, waitMs, resumeAt));
      client.on('resume', () => screen.resume(name));
      client.on('initialize', ({ reason }) => reason === 'expired' && screen.login(name));
      client.on('retry', ({ delayMs, error }) => screen.line(`Trying again in ${delayMs} ms: ${error.message}`));
      return { client, repository };
    };
    const ends = {
      source: connect('source connection', github.source),
      target: connect('target connection', github.target),
    };
    for (;;) {
      const { equal } = await runOnce(ends, options, screen, signal);
      if (options.once || signal.aborted) return equal;
      screen.line(`The next synchronisation starts in ${options.intervalMs / 1000} s. Ctrl-C ends the service.`);
      await delay(options.intervalMs, undefined, { signal }).catch(() => screen.line('Stopped.'));
      if (signal.aborted) return equal;
    }
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

async function emulate(
  issues: number,
  screen: Screen,
  closers: (() => Promise<void> | void)[],
): Promise<GitHubOptions> {
  const emulated = await startEmulatedGitHub(issues);
  closers.push(() => emulated.close());
  screen.line(`Emulated GitHub: ${emulated.apiUrl} (${issues} issues in ${emulated.source})`);
  const issue = `${emulated.apiUrl}/repos/${emulated.source}/issues/1`;
  screen.line(`Change one: curl -X PATCH -H 'authorization: Bearer any' -d '{"title":"Changed"}' ${issue}`);
  return emulated;
}

async function runOnce(
  { source, target }: Ends,
  { concurrency, json }: ServiceOptions,
  screen: Screen,
  signal: AbortSignal,
): Promise<Summary> {
  const startedAt = performance.now();
  const traffic = countTraffic([source.client, target.client]);
  const tally = new Tally();
  let error: string | undefined;
  try {
    signal.throwIfAborted();
    await synchronize({ source, target, concurrency, signal, progress: screen, tally });
  } catch (thrown) {
    error = thrown instanceof Error ? thrown.message : String(thrown);
  }
  screen.clear();
  const result = tally.result();
  const summary: Summary = {
    ...result,
    ...traffic(),
    equal: result.equal && error === undefined,
    source: source.repository,
    target: target.repository,
    durationMs: Math.round(performance.now() - startedAt),
    ...(error === undefined ? {} : { error }),
  };
  for (const [number, reason] of [...tally.failures].slice(0, 5)) screen.line(`Issue ${number} was refused: ${reason}`);
  if (signal.aborted) {
    screen.line('Stopped. What is written carries its marker: the next run goes on from there, without duplicates.');
  } else if (error !== undefined) screen.line(`Failed: ${error}`);
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else screen.line(summaryTable(summary));
  if (!signal.aborted) screen.line(summary.equal ? 'Both ends are equal.' : 'The ends are not equal.');
  return summary;
}
