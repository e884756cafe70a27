import path from 'node:path';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../github/connector.js';
import { makeDataDirectory } from './administration/data-directory.js';
import { startAdministration } from './administration/start-administration.js';
import { startEmulatedGitHub } from './emulated-github.js';
import type { GitHubOptions, ServiceOptions } from './options.js';
import { runSync, type Watched } from './run-sync.js';
import { type Closers, type Fleet, startEngine } from './start-engine.js';
import { SyncStatus, syncStatusTool } from './sync-status.js';
import { type Cause, SyncControl } from './syncs/control.js';
import { syncsSection } from './syncs/section.js';
import { RunStore } from './syncs/store/run-store.js';
import { createScreen, type Screen } from './terminal.js';

/**
 * Runs everything in one process: the administration, the end system (emulated, or a real one elsewhere), the connector,
 * and the synchronization that calls it: once, or again and again until the signal.
 *
 * @returns whether both ends were equal after the last synchronization.
 */
export async function runService(options: ServiceOptions, signal: AbortSignal): Promise<boolean> {
  const screen = createScreen(options.json ? process.stderr : process.stdout);
  const closers: Closers = [() => screen.clear()];
  const status = new SyncStatus();
  const control = new SyncControl();
  let fleet: Fleet | undefined;
  try {
    const store = await openStore(options, screen, closers);
    const syncs = store && syncsSection({ store, control, workers: () => fleet?.workers });
    if (syncs) closers.push(() => syncs.close());
    const administration =
      options.administration &&
      (await startAdministration(options.administration, {
        mcpTools: [syncStatusTool(status)],
        sections: syncs ? [syncs.section] : [],
        line: (text) => screen.line(text),
      }));
    if (administration) closers.push(() => administration.close());
    const github = options.github ?? (await emulate(options.issues, screen, closers));
    const connectorUrl = options.connectorUrl ?? (await startConnector(options, screen, closers));
    const line = (text: string) => screen.line(text);
    const settings = { options, connectorUrl, github, signal, closers, line };
    const { engine, fleet: started, ...ends } = await startEngine(settings);
    fleet = started;
    for (const [name, { client }] of Object.entries(ends)) show(`${name} connection`, client, screen);
    status.connected({ source: ends.source.client, target: ends.target.client });
    let isFirst = true;
    let cause: Cause = { trigger: options.once ? 'once' : 'start' };
    for (;;) {
      status.started();
      const summary = await runSync({ ends, engine, options, screen, control, store, cause, signal, isFirst });
      const { equal } = summary;
      status.ended(summary, options.once || control.isHeld ? undefined : options.intervalMs);
      if (options.once || signal.aborted) return equal;
      if (administration && isFirst) screen.line(`Syncs: ${administration.url}syncs`);
      screen.line(control.isHeld ? 'The next synchronization starts when somebody starts it.' : whenNext(options));
      isFirst = false;
      try {
        cause = await control.next(options.intervalMs, signal);
      } catch {
        screen.line('Stopped.');
        return equal;
      }
    }
  } finally {
    await closeAll(closers);
  }
}

async function startConnector(options: ServiceOptions, screen: Screen, closers: Closers): Promise<string> {
  const onDefect = (error: unknown) => screen.line(`The connector has a defect: ${String(error)}`);
  const connector = await serve(createGitHubConnector({ ...options, onDefect }), { port: 0 });
  closers.push(() => connector.close());
  screen.line(`Connector: ${connector.url}`);
  return connector.url;
}

function show(name: string, client: Watched['client'], screen: Screen): void {
  client.on('pause', ({ waitMs, resumeAt }) => screen.pause(name, waitMs, resumeAt));
  client.on('resume', () => screen.resume(name));
  client.on('initialize', ({ reason }) => reason === 'expired' && screen.login(name));
  client.on('retry', ({ delayMs, error }) => screen.line(`Trying again in ${delayMs} ms: ${error.message}`));
}

function whenNext({ intervalMs }: ServiceOptions): string {
  return `The next synchronization starts in ${intervalMs / 1000} s. Ctrl-C ends the service.`;
}

/** Where the runs are recorded. A single run does its work where nothing can be written, too. */
async function openStore(
  { once, administration, dataDirectory }: ServiceOptions,
  screen: Screen,
  closers: Closers,
): Promise<RunStore | undefined> {
  try {
    makeDataDirectory(dataDirectory);
    const store = await RunStore.open(path.join(dataDirectory, 'syncs.db'));
    closers.push(() => store.close());
    return store;
  } catch (error) {
    if (!once || administration) throw error;
    screen.line(`This run is not recorded. ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
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
