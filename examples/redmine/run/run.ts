import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isConnectorError } from 'concordat';
import { type ConnectorClient, createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { createGitHubConnector } from '../../github/connector.js';
import { startEmulatedGitHub } from '../../service/emulated-github.js';
import { countTraffic } from '../../service/summary.js';
import { createScreen, type Screen } from '../../service/terminal.js';
import { createRedmineConnector } from '../connector.js';
import { MappingFile } from '../sync/mapping.js';
import { type SyncResult, synchronize } from '../sync/synchronize.js';
import { attachOriginals, originalName, originalOf } from './attach-originals.js';
import { checkConformance } from './check-conformance.js';
import { DirectGitHub, DirectRedmine } from './direct.js';
import { readEnvironment } from './environment.js';
import { fileProjects, runFiles } from './files.js';
import { resetApiKey } from './reset-key.js';
import { goOnWorking, seed, type World } from './scenario.js';
import { type Outcome, printSummary } from './summary.js';
import { verify } from './verify.js';

const gitHubIssues = 20;
const redmineTickets = 18;
/** Issues after which the API key is reset for the first time. */
const issuesBeforeReset = 10;

/**
 * Synchronizes an emulated GitHub with a real Redmine, through everything that a real one does to a connector, and then
 * reads both without a connector.
 *
 * @returns whether every issue and comment is on both sides exactly once, and everything that was to happen has happened.
 */
export async function runAgainstRedmine(
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<boolean> {
  const redmine = readEnvironment(environment);
  const screen = createScreen(process.stdout);
  const startedAt = performance.now();
  const closers: (() => unknown)[] = [() => screen.clear()];
  try {
    const directory = await mkdtemp(join(tmpdir(), 'concordat-redmine-run.'));
    closers.push(() => rm(directory, { recursive: true, force: true }));
    const gitHub = await startEmulatedGitHub(gitHubIssues);
    closers.push(() => gitHub.close());
    const onDefect = (error: unknown) => screen.line(`A connector has a defect: ${String(error)}`);
    const redmineConnector = await serve(createRedmineConnector({ url: redmine.url, onDefect }), { port: 0 });
    closers.push(() => redmineConnector.close());
    const gitHubConnector = await serve(createGitHubConnector({ onDefect }), { port: 0 });
    closers.push(() => gitHubConnector.close());

    const world: World = {
      gitHub: new DirectGitHub(gitHub.apiUrl, gitHub.source),
      redmine: new DirectRedmine(redmine.directUrl, 'ada', redmine.password),
      titles: new Set(),
      comments: new Set(),
    };
    screen.line(`Preparing ${gitHubIssues} issues on GitHub and ${redmineTickets} in Redmine`);
    const file = Uint8Array.from({ length: 4096 }, (_, index) => (index * 31) % 256);
    const administrator = new DirectRedmine(redmine.directUrl, 'root', redmine.password);
    const secret = await administrator.create('Nobody else may see this', '', 'secret');
    await seed(world, redmineTickets, file);

    const login = { username: 'sync', password: redmine.password, project: 'helpdesk' };
    const bareFailures = { count: 0 };
    const connect = (name: string, baseUrl: string, parameters: Record<string, string>): ConnectorClient => {
      const client = createConnectorClient({
        baseUrl,
        initialize: { parameters },
        retry: { retries: 8, maxTimeoutMs: 3000 },
      });
      closers.push(() => client.close());
      show(screen, name, client);
      const count = ({ error }: { error: unknown }) => {
        if (isConnectorError(error) && error.status === 503) bareFailures.count++;
      };
      client.on('retry', count);
      client.on('error', count);
      return client;
    };
    const { apiUrl, token, source } = gitHub;
    const ends = {
      left: {
        client: connect('GitHub connection', gitHubConnector.url, { baseUrl: apiUrl, token, repository: source }),
        name: source,
      },
      right: {
        client: connect('Redmine connection', redmineConnector.url, login),
        name: `redmine/${login.project}`,
      },
    };
    const traffic = countTraffic([ends.right.client]);

    let resets = 0;
    let resetting: Promise<void> = Promise.resolve();
    const reset = async () => {
      screen.line('The API key of Redmine is reset');
      resets++;
      await resetApiKey(redmine.directUrl, login.username, login.password);
    };
    const syncs: SyncResult[] = [];
    const progress = (advance: (count: number) => void) => ({
      phase: (name: string, total?: number) => screen.phase(name, total),
      advance,
    });
    // A new one each time, as after a restart: what is remembered is in the file.
    const mappingFile = (name: string) => new MappingFile(join(directory, `${name}.json`));
    const sync = async (title: string, resetAfter = Number.POSITIVE_INFINITY) => {
      screen.line(`\n${title}`);
      let issues = 0;
      const advance = (count: number) => {
        screen.advance(count);
        issues += count;
        if (issues === resetAfter) resetting = reset();
      };
      const mapping = mappingFile('mapping');
      syncs.push(await synchronize({ ends, mapping, signal, concurrency: 8, progress: progress(advance) }));
      await resetting;
      screen.clear();
    };

    await sync('First synchronization: everything is new', issuesBeforeReset);
    screen.line('\nPeople go on working on both sides');
    await goOnWorking(world);
    await sync('Second synchronization: changes on both sides', 2);
    await sync('Third synchronization: there is nothing to do');

    screen.line('\nAttaching files through the connector');
    const mapping = await mappingFile('mapping').read();
    const originals = new Map((await world.gitHub.issues()).map((issue) => [issue.number, issue]));
    const mirrors = mapping
      .filter(({ origin }) => origin === 'left')
      .flatMap(({ left, right }) => {
        const original = originals.get(left);
        return original === undefined ? [] : [{ original, mirror: right }];
      });
    const attached = await attachOriginals(ends.right.client, mirrors, signal);
    let files = 0;
    for (const { original, mirror } of mirrors) {
      const text = originalOf(original);
      const [content, ...more] = await world.redmine.attachments(mirror, originalName);
      const downloaded = await ends.right.client.get(`/attachments/${attached.get(mirror)}`, { signal });
      if (content?.toString() === text && more.length === 0 && JSON.stringify(downloaded) === text) files++;
    }

    screen.line('\nTwo projects with files, one of them of 50 MB');
    const inProject = (project: string) => ({
      client: connect(project, redmineConnector.url, { ...login, project }),
      name: `redmine/${project}`,
      hasAttachments: true,
    });
    const projects = { left: inProject(fileProjects.left), right: inProject(fileProjects.right) };
    const copies = await runFiles(world.redmine, () =>
      synchronize({
        ends: projects,
        mapping: mappingFile('files'),
        signal,
        concurrency: 8,
        progress: progress((count) => screen.advance(count)),
      }),
    );
    screen.clear();

    screen.line('\nChecking the connector against the contract');
    const sent = traffic();
    const conformance = await checkConformance({ baseUrl: redmineConnector.url, login, secret, reset });
    const outcome: Outcome = {
      syncs,
      verification: verify(await world.gitHub.issues(), await world.redmine.issues(), world),
      files: { right: files, all: mirrors.length },
      copies,
      mapping: mapping.length,
      resets,
      traffic: sent,
      bareFailures: bareFailures.count,
      conformance,
      durationMs: performance.now() - startedAt,
    };
    return printSummary(outcome, (text) => screen.line(text));
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function show(screen: Screen, name: string, client: ConnectorClient): void {
  client.on('pause', ({ waitMs, resumeAt }) => screen.pause(name, waitMs, resumeAt));
  client.on('resume', () => screen.resume(name));
  client.on('initialize', ({ reason }) => reason === 'expired' && screen.login(name));
}
