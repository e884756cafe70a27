import { setTimeout as delay } from 'node:timers/promises';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../github/connector.js';
import { startAdministration } from './administration/start-administration.js';
import { startEmulatedGitHub } from './emulated-github.js';
import type { GitHubOptions, ServiceOptions } from './options.js';
import { countTraffic, type Summary, summaryTable } from './summary.js';
import { type End, synchronize } from './sync.js';
import { SyncStatus, syncStatusTool } from './sync-status.js';
import { Tally } from './tally.js';
import { createScreen, type Screen } from './terminal.js';

interface Ends {
  source: End;
  target: End;
}

type Closers = (() => void | Promise<void>)[];

/**
 * Runs everything in one process: the administration, the end system (emulated, or a real one elsewhere), the connector,
 * and the synchronisation that calls it: once, or again and again until the signal.
 *
 * @returns whether both ends were equal after the last synchronisation.
 */
export async function runService(options: ServiceOptions, signal: AbortSignal): Promise<boolean> {
  const screen = createScreen(options.json ? process.stderr : process.stdout);
  const onDefect = (error: unknown) => screen.line(`The connector has a defect: ${String(error)}`);
  const closers: Closers = [() => screen.clear()];
  const status = new SyncStatus();
  try {
    const administration =
      options.administration &&
      (await startAdministration(options.administration, {
        mcpTools: [syncStatusTool(status)],
        line: (text) => screen.line(text),
      }));
    if (administration) closers.push(() => administration.close());
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
    status.connected({ source: ends.source.client, target: ends.target.client });
    let isFirst = true;
    for (;;) {
      status.started();
      const summary = await runOnce(ends, options, screen, signal, isFirst);
      const { equal } = summary;
      status.ended(summary, options.once ? undefined : options.intervalMs);
      if (options.once || signal.aborted) return equal;
      if (administration && isFirst) screen.line(`Administration: ${administration.url}`);
      screen.line(`The next synchronisation starts in ${options.intervalMs / 1000} s. Ctrl-C ends the service.`);
      isFirst = false;
      await delay(options.intervalMs, undefined, { signal }).catch(() => screen.line('Stopped.'));
      if (signal.aborted) return equal;
    }
  } finally {
    await closeAll(closers);
  }
}

/** In reverse order, and all of them: what fails to close must not keep the rest open. @throws the first failure */
async function closeAll(closers: Closers): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.reverse()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

async function emulate(issues: number, screen: Screen, closers: Closers): Promise<GitHubOptions> {
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
  isFirst: boolean,
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
  // Every minute, the table that says that nothing was to be done would push what matters out of sight.
  const isNews = isFirst || !summary.equal || summary.created + summary.updated > 0;
  if (json) process.stdout.write(`${JSON.stringify(summary)}\n`);
  else if (isNews) screen.line(summaryTable(summary));
  if (!signal.aborted) screen.line(summary.equal ? 'Both ends are equal.' : 'The ends are not equal.');
  return summary;
}
