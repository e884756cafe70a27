import path from 'node:path';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import {
  type AdministrationFlags,
  type AdministrationOptions,
  parsePort,
  readAdministration,
} from './administration/options.js';
import type { WorkerOptions } from './fleet/worker.js';
import { UsageExit } from './process.js';

export interface GitHubOptions {
  apiUrl: string;
  token: string;
  source: string;
  target: string;
}

export interface ServiceOptions {
  once: boolean;
  json: boolean;
  intervalMs: number;
  concurrency: number;
  /** Lifetime of a session at the connector. */
  sessionMs: number;
  /** The connector's own limit. */
  quota: { requests: number; windowMs: number } | undefined;
  /** The GitHub to use; without one, an emulated GitHub with this many issues is started. */
  github: GitHubOptions | undefined;
  issues: number;
  administration: AdministrationOptions | undefined;
  /** Leaves the work to the workers of this Redis. */
  redisUrl: string | undefined;
  /** A connector that runs elsewhere; without it one is started. */
  connectorUrl: string | undefined;
  /** Where runs are recorded, and the administration keeps its data. Absolute. */
  dataDirectory: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

interface Flags extends AdministrationFlags {
  json: boolean;
  interval: number;
  concurrency: number;
  issues: number;
  session?: number;
  quota?: number;
  window?: number;
}

// So small that a run of half a minute shows several logins and several pauses.
const demonstration = { sessionSeconds: 4, quota: 120, windowSeconds: 5 };
const realSessionSeconds = 3600;
const publicApi = 'https://api.github.com';

/** Reads the arguments and the environment. @throws UsageExit */
export function readOptions(argv: readonly string[], environment: Environment): ServiceOptions {
  const flags = parseFlags(argv);
  const github = readGitHub(environment);
  const quota = flags.quota ?? (github ? 0 : demonstration.quota);
  return {
    once: flags.once,
    json: flags.json,
    intervalMs: flags.interval * 1000,
    concurrency: flags.concurrency,
    sessionMs: (flags.session ?? (github ? realSessionSeconds : demonstration.sessionSeconds)) * 1000,
    quota:
      quota === 0 ? undefined : { requests: quota, windowMs: (flags.window ?? demonstration.windowSeconds) * 1000 },
    github,
    issues: flags.issues,
    administration: readAdministration(flags, environment),
    ...readFleet(environment, github),
    dataDirectory: path.resolve(flags.data || environment.CONCORDAT_DATA || '.data'),
  };
}

function parseFlags(argv: readonly string[]): Flags {
  const command = new Command('npm start --')
    .description(
      'Mirrors all issues of one GitHub repository into another one, through the GitHub connector, and serves the ' +
        'administration of API keys: UI, Admin API and MCP. Without further settings it starts an emulated GitHub on ' +
        'this machine and needs no network.',
    )
    .option('--once', 'end after one synchronization', false)
    .option('--json', 'print the summary as one line of JSON; everything else goes to stderr', false)
    .option('--interval <seconds>', 'time between two synchronizations', number(0.1), 60)
    .option('--concurrency <requests>', 'the most writes at once', number(1, true), 8)
    .option('--issues <count>', 'issues in the emulated source repository', number(0, true), 520)
    .option(
      '--session <seconds>',
      'lifetime of a session at the connector (default: 4; real GitHub: 3600)',
      number(0.1),
    )
    .option('--quota <requests>', 'limit of the connector, 0 for none (default: 120; real GitHub: 0)', number(0, true))
    .option('--window <seconds>', 'window that the limit is counted in (default: 5)', number(0.1))
    .option('--port <port>', 'port of the administration, 0 for any free one (default: 8080)', port)
    .option('--data <directory>', 'where runs are recorded and the administration keeps its data (default: .data)')
    .addOption(
      new Option('--edition <name>', 'the edition; API keys belong to Professional and Ultimate')
        .choices(['Standard', 'Professional', 'Ultimate'])
        .default('Professional'),
    )
    .option('--admin', 'serve the administration with --once, too')
    .option('--no-admin', 'do not serve the administration')
    .addHelpText('after', helpText)
    .allowExcessArguments(false)
    .exitOverride();
  try {
    return command.parse(argv, { from: 'user' }).opts<Flags>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw new UsageExit('', error.exitCode === 0 ? 0 : 2);
  }
}

const helpText = `
Another GitHub instead of the emulated one (all of them in the environment):
  SOURCE_REPO     repository to read, owner/name
  TARGET_REPO     repository to write, owner/name
  GITHUB_TOKEN    token that may read the one and write issues of the other
  GITHUB_API_URL  root of the API (default: ${publicApi})

More machines (in the environment as well):
  REDIS_URL       redis://… to leave the work to the processes of \`npm run worker\`
  CONNECTOR_URL   a connector that runs elsewhere, instead of one of this process
  SESSION_KEY     32 bytes or more; workers encrypt the sessions that they share in redis
  HEALTH_PORT     where a worker answers GET /health
  CONCURRENCY     the most writes of a worker at once (default: 8)
  LOCK_MS         how long until a worker that died is missed (default: 60000)

The administration (in the environment as well):
  PORT, CONCORDAT_DATA       the same as --port and --data
  HOST                       address to listen on; 0.0.0.0 in a container (default: this machine only)
  DATABASE_URL               postgres://… to keep the API keys in PostgreSQL instead of SQLite
  CONCORDAT_ADMIN_PASSWORD   password of admin, the Super Admin; without it the first start makes one and prints it
  CONCORDAT_MANAGER_PASSWORD password of uma, who may manage the API keys of all users; likewise
  CONCORDAT_USER_PASSWORD    password of sam, a regular user; likewise

Examples:
  npm start                                  synchronize, then again every minute until Ctrl-C
  npm start -- --once                        synchronize once
  npm start -- --port 9000 --data /var/lib/x the administration elsewhere
  npm start -- --once --json | tail -n 1     the summary for a program
  npm start -- --once --quota 40 --window 2  a tighter limit
  SOURCE_REPO=acme/support TARGET_REPO=acme/mirror GITHUB_TOKEN=… npm start -- --once

Exit codes: 0 both ends are equal, 1 they are not or the run failed, 2 wrong arguments, 130 Ctrl-C.`;

function port(text: string): number {
  const value = parsePort(text);
  if (value === undefined) throw new InvalidArgumentError('A whole number from 0 to 65535 is expected.');
  return value;
}

function number(least: number, whole = false): (text: string) => number {
  return (text) => {
    const value = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value >= least && (!whole || Number.isSafeInteger(value))) return value;
    throw new InvalidArgumentError(`A ${whole ? 'whole ' : ''}number of at least ${least} is expected.`);
  };
}

/** A token alone, or the API's public address alone, is what CI sets by itself: neither asks for another GitHub. */
function readGitHub(environment: Environment): GitHubOptions | undefined {
  const { SOURCE_REPO: source, TARGET_REPO: target, GITHUB_TOKEN: token, GITHUB_API_URL: apiUrl } = environment;
  if (!source && !target && (!apiUrl || apiUrl === publicApi)) return undefined;
  if (!source || !target || !token) {
    const missing = Object.entries({ SOURCE_REPO: source, TARGET_REPO: target, GITHUB_TOKEN: token })
      .filter(([, value]) => !value)
      .map(([name]) => name);
    throw new UsageExit(`To use another GitHub, set ${missing.join(' and ')} as well.`, 2);
  }
  for (const [name, value] of Object.entries({ SOURCE_REPO: source, TARGET_REPO: target })) {
    if (!/^[\w.-]+\/[\w.-]+$/.test(value)) throw new UsageExit(`${name} must be owner/name.`, 2);
  }
  if (source.toLowerCase() === target.toLowerCase()) {
    throw new UsageExit('SOURCE_REPO and TARGET_REPO must be two repositories.', 2);
  }
  if (apiUrl && !(URL.canParse(apiUrl) && /^https?:$/.test(new URL(apiUrl).protocol))) {
    throw new UsageExit('GITHUB_API_URL must be an http or https URL.', 2);
  }
  return { apiUrl: apiUrl || publicApi, token, source, target };
}

function readFleet({ REDIS_URL, CONNECTOR_URL }: Environment, github: GitHubOptions | undefined) {
  if (REDIS_URL && github && !CONNECTOR_URL) {
    throw new UsageExit('With REDIS_URL and another GitHub, set CONNECTOR_URL: all workers call one connector.', 2);
  }
  for (const [name, url] of Object.entries({ CONNECTOR_URL, REDIS_URL })) {
    const schemes = name === 'REDIS_URL' ? /^rediss?:$/ : /^https?:$/;
    // Not repeated in the message: a URL of Redis holds its password.
    if (url && !(URL.canParse(url) && schemes.test(new URL(url).protocol))) {
      throw new UsageExit(`${name} must be ${name === 'REDIS_URL' ? 'a redis://' : 'an http or https'} URL.`, 2);
    }
  }
  return { redisUrl: REDIS_URL || undefined, connectorUrl: CONNECTOR_URL || undefined };
}

/** What `npm run worker` takes from the environment. @throws UsageExit */
export function readWorkerOptions(environment: Environment): WorkerOptions {
  const github = readGitHub(environment);
  const { redisUrl, connectorUrl } = readFleet(environment, github);
  const { SESSION_KEY, HEALTH_PORT, CONCURRENCY, LOCK_MS } = environment;
  if (redisUrl === undefined) throw new UsageExit('Set REDIS_URL to the redis of the service.', 2);
  if (github && !SESSION_KEY) throw new UsageExit('Set SESSION_KEY, the same 32 bytes or more for all workers.', 2);
  const healthPort = HEALTH_PORT ? parsePort(HEALTH_PORT) : undefined;
  if (HEALTH_PORT && healthPort === undefined) throw new UsageExit('HEALTH_PORT must be a number from 0 to 65535.', 2);
  return {
    ...{ redisUrl, connectorUrl, github, healthPort, sessionKey: SESSION_KEY || undefined },
    concurrency: countOf('CONCURRENCY', CONCURRENCY || '8'),
    lockMs: countOf('LOCK_MS', LOCK_MS || '60000'),
  };
}

function countOf(name: string, text: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (count >= 1) return count;
  throw new UsageExit(`${name} must be a whole number of at least 1.`, 2);
}
