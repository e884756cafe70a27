import { type Command, InvalidArgumentError, Option } from 'commander';
import { follow, printable } from '../internal/index.js';
import {
  type FaultRule,
  type JournalEntry,
  type LimitFormat,
  limitFormats,
  type SimulateConnectorOptions,
  simulateConnector,
} from '../testing/index.js';
import { createPaint, exitCodes, type Io, type Paint, toUsageError, UsageError } from './io.js';
import { readParameters } from './parameters.js';
import { collect, given, parseCount, parseDuration, parseLimit, parsePort } from './values.js';

interface SimulateOptions {
  port: number;
  limit?: { limit: number; windowMs: number };
  window?: 'fixed' | 'sliding';
  announce?: 'policy' | 'both';
  header?: string;
  format?: LimitFormat;
  session?: number;
  sessionRequests?: number;
  credentials?: string[];
  faults?: FaultRule[];
  items: number;
}

/** `concordat simulate`: a connector with the rate limit, sessions and faults that you ask for. */
export function addSimulate(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('simulate')
    .summary('start a simulated connector')
    .description(
      'Starts a connector on 127.0.0.1 with the rate limit, sessions and faults that you ask for, and shows every request.',
    )
    .option('-p, --port <port>', 'the port to listen on; 0 picks a free one', parsePort, 4000)
    .option('--limit <requests/time>', 'the rate limit, such as 100/1s', parseLimit)
    .addOption(new Option('--window <kind>', 'how the rate limit counts').choices(['fixed', 'sliding']))
    .addOption(
      new Option('--announce <what>', 'announce the rate limit in every response; both: also what is left').choices([
        'policy',
        'both',
      ]),
    )
    .option('--header <name>', 'the header that carries the wait (default: Retry-After)')
    .addOption(new Option('--format <format>', 'the format of the wait').choices(limitFormats))
    .option('--session <time>', 'how long a session lives, such as 30s', parseDuration)
    .option('--session-requests <count>', 'how many requests a session serves', parseCount)
    .option('--credentials <key=value>', 'a parameter that the login expects; repeatable', collect)
    .option('--faults <list>', 'what goes wrong: 503@7,reset@20,slow=500ms (@7: on every 7th request)', parseFaults)
    .option('--items <count>', 'how many items /items has', parseItems, 100)
    .addHelpText(
      'after',
      `
Examples:
  $ concordat simulate --limit 10/5s --session 30s
  $ concordat simulate --faults 503@7,reset@20 --port 0
  $ concordat call http://127.0.0.1:4000 GET /items          # in another terminal`,
    )
    .action(async (options: SimulateOptions) => finish(await simulate(options, io)));
}

/** They are all in memory. */
function parseItems(text: string): number {
  const items = parseCount(text);
  if (items > 1_000_000) throw new InvalidArgumentError('Give at most 1000000.');
  return items;
}

async function simulate(options: SimulateOptions, io: Io): Promise<number> {
  const paint = createPaint(io.stdout, io.env);
  const connector = await start(options, io, (entry) => io.stdout.write(`${drawEntry(entry, paint)}\n`));
  const { url } = connector;
  io.stdout.write(`The simulated connector listens on ${url}\n`);
  io.stdout.write(paint('dim', `Log in with POST ${url}/initialize, read ${url}/items; Ctrl-C stops it.\n`));
  await new Promise((resolve) => void follow([io.signal, io.unread], resolve));
  await connector.close();
  return exitCodes.good;
}

async function start(options: SimulateOptions, io: Io, onEntry: (entry: JournalEntry) => void) {
  const settings = await toSettings(options, io);
  try {
    return await simulateConnector({ ...settings, onEntry, maxJournalEntries: 0 }).listen(options.port);
  } catch (error) {
    if ((error as { code?: string }).code === 'EADDRINUSE') {
      throw new UsageError(`Port ${options.port} is taken. Choose another with --port, or --port 0 for a free one.`);
    }
    if ((error as { code?: string }).code === 'EACCES') {
      throw new UsageError(`Port ${options.port} needs elevated privileges. Choose one above 1023 with --port.`);
    }
    throw toUsageError(error);
  }
}

async function toSettings(options: SimulateOptions, io: Io): Promise<SimulateConnectorOptions> {
  const { limit, window, announce, header, format, session, sessionRequests, credentials, faults, items } = options;
  if (limit === undefined && (window ?? announce ?? header ?? format) !== undefined) {
    throw new UsageError('--window, --announce, --header and --format need --limit, too.');
  }
  const known = credentials && (await readParameters(credentials, '--credentials', io));
  return {
    resources: { items: Array.from({ length: items }, (_, index) => ({ id: index + 1, title: `Item ${index + 1}` })) },
    session: given({ ttlMs: session, maxRequests: sessionRequests }),
    ...given({
      rateLimit: limit && { ...limit, ...given({ window, announce, header, format }) },
      credentials: known && Object.fromEntries(known.map(({ key, value }) => [key, value])),
      faults,
    }),
  };
}

/** One line per request, without headers and bodies, which contain credentials. */
function drawEntry(entry: JournalEntry, paint: Paint): string {
  const { at, method, path, query, status, session, refused, waitMs, fault } = entry;
  const search = new URLSearchParams(query).toString();
  const target = printable(`${method.padEnd(6)} ${path}${search === '' ? '' : `?${search}`}`);
  const color = status === undefined || status >= 500 ? 'red' : status >= 400 ? 'yellow' : 'green';
  const notes = [
    session === undefined ? '' : `session ${session}`,
    refused ?? '',
    waitMs === undefined ? '' : `wait ${Math.ceil(waitMs)} ms`,
    fault === undefined ? '' : `fault: ${fault}`,
  ].filter((note) => note !== '');
  const time = paint('dim', at.toISOString().slice(11, 23));
  return `${time}  ${paint(color, String(status ?? '---'))}  ${target}${notes.length === 0 ? '' : paint('dim', `  ${notes.join(', ')}`)}`;
}

const plainFaults = ['reset', 'hang', 'truncated', 'never-ending', 'html', 'expired', 'huge'] as const;

/** Parses `503@7,reset@20,slow=500ms`: faults, each on every request or on every Nth. */
function parseFaults(text: string): FaultRule[] {
  return text.split(',').map((item) => {
    const [, kind = '', value, every] = /^([a-z0-9-]+)(?:=([a-z0-9.]+))?(?:@(\d+))?$/.exec(item.trim()) ?? [];
    const fault = parseFault(kind, value);
    if (fault === undefined) {
      throw new InvalidArgumentError(
        `"${item}" is not a fault. Write KIND or KIND@N, separated by commas: 503@7, limit=2s@50, slow=500ms, ${plainFaults.join(', ')}.`,
      );
    }
    if (every === undefined) return fault;
    if (Number(every) === 0) throw new InvalidArgumentError(`"${item}": N must be 1 or more.`);
    return { ...fault, every: parseCount(every) };
  });
}

function parseFault(kind: string, value: string | undefined): FaultRule | undefined {
  if (kind === 'slow') return { kind, delayMs: parseDuration(value ?? '1s') };
  if (kind === 'limit') return { kind, waitMs: parseDuration(value ?? '1s') };
  if (value !== undefined) return undefined;
  if (/^[45]\d\d$/.test(kind)) return { kind: 'status', status: Number(kind) };
  const found = plainFaults.find((name) => name === kind);
  return found && { kind: found };
}
