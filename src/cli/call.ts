import { type Command, Option } from 'commander';
import {
  type ConnectorClient,
  type ConnectorClientOptions,
  createConnectorClient,
  RequestError,
} from '../client/index.js';
import { waitFormats } from '../contract/index.js';
import { printable } from '../internal/index.js';
import { createPaint, exitCodes, type Io, UsageError } from './io.js';
import { readParameters } from './parameters.js';
import { collect, collectHeader, parseCount, parseDuration, parseUrl } from './values.js';

interface CallOptions {
  initialize?: string[];
  initializePath?: string;
  login: boolean;
  data?: string;
  header?: Record<string, string>;
  rateLimitHeader?: string;
  rateLimitFormat?: string;
  maxWait?: number;
  timeout?: number;
  retries?: number;
  cleanup?: true;
}

/** `concordat call`: calls a connector as the service would. */
export function addCall(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('call')
    .summary('call a connector as the service would')
    .description(
      'Calls a connector as the service would: logs in, logs in again on a 401, waits out rate limits, retries. ' +
        'What happens meanwhile goes to the error output, the answer to the output.',
    )
    .argument('<url>', 'address of the connector', parseUrl)
    .argument('<method>', 'GET, POST, …', (text: string) => text.toUpperCase())
    .argument('<path>', 'path and query, such as /issues?limit=10')
    .option('-i, --initialize <key=value>', 'a parameter to log in with; may be repeated', collect)
    .option('--initialize-path <path>', 'where to log in (default: /initialize)')
    .option('--no-login', 'send the request without a session')
    .option('-d, --data <json>', 'the body, as JSON')
    .option('-H, --header <name=value>', 'a header; may be repeated', collectHeader)
    .option('--rate-limit-header <name>', 'the header that carries the wait (default: Retry-After)')
    .addOption(
      new Option('--rate-limit-format <format>', 'how the wait is written (default: auto)').choices(waitFormats),
    )
    .option('--max-wait <time>', 'give up at a longer wait (default: 24h)', parseDuration)
    .option('--timeout <time>', 'bounds one try (default: 30s)', parseDuration)
    .option('--retries <count>', 'retries of transient failures (default: 5)', parseCount)
    .option('--cleanup', 'end the session with POST /cleanup afterwards')
    .addHelpText(
      'after',
      `
Examples:
  $ concordat call http://127.0.0.1:4000 GET /issues -i user=alice -i password=prompt
  $ PASSWORD=… concordat call http://127.0.0.1:4000 GET '/issues?limit=10' -i user=alice -i password=env:PASSWORD
  $ concordat call http://127.0.0.1:4000 POST /issues -i token=env:TOKEN --data '{"title": "It broke"}'

Exit codes: 0 the call succeeded, 1 the connector answered with an error, 2 there was no answer.`,
    )
    .action(async (url: string, method: string, path: string, options: CallOptions) => {
      finish(await call(url, method, path, options, io));
    });
}

async function call(url: string, method: string, path: string, options: CallOptions, io: Io): Promise<number> {
  const paint = createPaint(io.stderr, io.env);
  const say = (text: string) => io.stderr.write(`${printable(text)}\n`);
  const note = (color: Parameters<typeof paint>[0], text: string) =>
    io.stderr.write(`${paint(color, printable(text))}\n`);
  const json = readJson(options.data);
  const client = createClient(url, options, await readParameters(options.initialize ?? [], io));
  narrate(client, note);
  const startedAt = performance.now();
  try {
    const response = await client.request({
      method,
      path,
      headers: options.header ?? {},
      signal: io.signal,
      ...(options.data === undefined ? {} : { json }),
    });
    const milliseconds = Math.round(performance.now() - startedAt);
    note('green', `${response.status} in ${milliseconds} ms${pausedNote(client)}`);
    const { data } = response;
    if (data instanceof Uint8Array) {
      // To a file or a program as they are; nobody reads them on a terminal.
      io.stdout.write(io.stdout.isTTY ? `(${data.length} bytes)\n` : data);
    } else if (data !== undefined) {
      // JSON cannot steer a terminal: control characters are escaped in it. Text can.
      io.stdout.write(
        typeof data === 'string'
          ? `${io.stdout.isTTY ? printable(data) : data}\n`
          : `${JSON.stringify(data, undefined, 2)}\n`,
      );
    }
    return exitCodes.good;
  } catch (error) {
    if (io.signal.aborted) throw error;
    if (error instanceof TypeError) throw new UsageError(error.message);
    return explain(error, note, say);
  } finally {
    await client.close();
  }
}

function createClient(
  url: string,
  options: CallOptions,
  parameters: { key: string; value: string; sensitive: boolean }[],
) {
  const { initializePath, rateLimitHeader, rateLimitFormat, maxWait, timeout, retries } = options;
  const rateLimit = Object.fromEntries(
    Object.entries({ header: rateLimitHeader, format: rateLimitFormat, maxWaitMs: maxWait }).filter(
      ([, value]) => value !== undefined,
    ),
  ) as NonNullable<ConnectorClientOptions['rateLimit']>;
  try {
    return createConnectorClient({
      baseUrl: url,
      initialize: options.login
        ? { parameters, ...(initializePath === undefined ? {} : { path: initializePath }) }
        : async () => ({}),
      rateLimit,
      ...(timeout === undefined ? {} : { timeoutMs: timeout }),
      ...(retries === undefined ? {} : { retry: { retries } }),
      ...(options.cleanup ? { cleanup: {} } : {}),
    });
  } catch (error) {
    if (error instanceof TypeError) throw new UsageError(error.message);
    throw error;
  }
}

function narrate(client: ConnectorClient, note: (color: 'dim' | 'yellow' | 'cyan', text: string) => void): void {
  client.on('initialize', ({ reason, durationMs }) => {
    const what = reason === 'first' ? 'Logged in' : 'Logged in again: the session had expired';
    note('cyan', `${what} (${Math.round(durationMs)} ms)`);
  });
  client.on('pause', ({ waitMs, resumeAt, source }) => {
    const guess = source === 'fallback' ? ', a guess: the connector does not say how long' : '';
    note('yellow', `Rate limit: waiting ${seconds(waitMs)} until ${resumeAt.toISOString()}${guess}`);
  });
  client.on('heartbeat', ({ remainingMs }) => note('dim', `Still waiting, ${seconds(remainingMs)} left`));
  client.on('resume', ({ pausedMs }) => note('yellow', `Going on after ${seconds(pausedMs)}`));
  client.on('retry', ({ attempt, delayMs, error }) => {
    note('yellow', `${error.message}; retry ${attempt} in ${seconds(delayMs)}`);
  });
}

function explain(
  error: unknown,
  note: (color: 'red' | 'dim', text: string) => void,
  say: (text: string) => void,
): number {
  const { message, detail, kind } = error as { message?: string; detail?: string; kind?: string };
  note('red', message ?? String(error));
  if (detail !== undefined) say(detail);
  if (kind !== undefined && kind in reactions) note('dim', reactions[kind] as string);
  return error instanceof RequestError && error.status === undefined ? exitCodes.unusable : exitCodes.bad;
}

const reactions: Record<string, string> = {
  'bad-request': 'The service reports this, and does not send the request again.',
  unauthorized: 'The service had logged in again before it gave up: a new session is refused, too.',
  forbidden: 'A 403 without the wait header: access is denied. The service does not wait, and does not send it again.',
  'rate-limit': 'The wait is longer than --max-wait.',
  'not-found': 'The service reports this, and does not send the request again.',
};

function pausedNote({ status }: ConnectorClient): string {
  const { pausedMs, logins, retries } = status.counters;
  const notes = [
    logins > 1 ? `${logins} logins` : '',
    pausedMs > 0 ? `${seconds(pausedMs)} of them waiting` : '',
    retries > 0 ? `${retries} retries` : '',
  ].filter((text) => text !== '');
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.ceil(milliseconds)} ms` : `${Math.ceil(milliseconds / 1000)} s`;
}

function readJson(text: string | undefined): unknown {
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--data is no JSON: ${(error as Error).message}`);
  }
}
