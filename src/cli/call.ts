import path from 'node:path';
import { text as readAll } from 'node:stream/consumers';
import { type Command, Option } from 'commander';
import { type ConnectorClient, createConnectorClient, isInitializeError, RequestError } from '../client/index.js';
import { type SessionParameter, type WaitFormat, waitFormats } from '../contract/index.js';
import { abortable, printable } from '../internal/index.js';
import { createPaint, exitCodes, fromOptions, type Io, type Paint, UsageError } from './io.js';
import { indentJson } from './json-text.js';
import { readHeaders, readParameters } from './parameters.js';
import { proxyOf } from './proxy.js';
import { collect, parseCount, parseDuration, parseUrl, readText } from './values.js';

interface CallOptions {
  initialize?: string[];
  initializePath?: string;
  login: boolean;
  data?: string;
  json?: string;
  header?: string[];
  rateLimitHeader?: string;
  rateLimitFormat?: WaitFormat;
  maxWait?: number;
  timeout?: number;
  retries?: number;
  cleanup?: true;
}

/** `concordat call`: calls a connector as the service does. */
export function addCall(program: Command, io: Io, finish: (code: number) => void): void {
  program
    .command('call')
    .summary('call a connector as the service does')
    .description(
      'Calls a connector as the service does: logs in, logs in again on a 401, waits out rate limits, and retries. ' +
        'Prints the response to stdout and its progress to stderr.',
    )
    .argument('<url>', 'address of the connector', parseUrl)
    .argument('<method>', 'GET, POST, …', (text: string) => text.toUpperCase())
    .argument('<path>', 'path and query, such as /issues?limit=10')
    .option('-i, --initialize <key=value>', 'a parameter of the login; repeatable', collect)
    .option('--initialize-path <path>', 'the path of the login (default: /initialize)')
    .option('--no-login', 'send the request without a session')
    .option('-d, --data <json>', 'the request body as JSON; @FILE reads it from a file, - from the input')
    .addOption(new Option('--json <json>', 'the same as --data').conflicts('data'))
    .option('-H, --header <name=value>', 'a request header; repeatable', collect)
    .option('--rate-limit-header <name>', 'the header that carries the wait (default: Retry-After)')
    .addOption(
      new Option('--rate-limit-format <format>', 'the format of the wait (default: auto)').choices(waitFormats),
    )
    .option('--max-wait <time>', 'give up if the wait is longer (default: 24h)', parseDuration)
    .option('--timeout <time>', 'the timeout of one attempt (default: 30s)', parseDuration)
    .option('--retries <count>', 'retries of transient failures (default: 5)', parseCount)
    .option('--cleanup', 'end the session with POST /cleanup afterwards')
    .addHelpText(
      'after',
      `
Examples:
  $ concordat call http://127.0.0.1:4000 GET /issues -i user=alice -i password=prompt
  $ PASSWORD=… concordat call http://127.0.0.1:4000 GET '/issues?limit=10' -i user=alice -i password=env:PASSWORD
  $ concordat call http://127.0.0.1:4000 POST /issues -i token=env:TOKEN --data '{"title": "It broke"}'
  $ concordat call http://127.0.0.1:4000 POST /issues -i token=env:TOKEN --data @issue.json

Exit codes: 0 the call succeeded, 1 the connector responded with an error, 2 there was no response.`,
    )
    .action(async (url: string, method: string, path: string, options: CallOptions) => {
      finish(await call(url, method, path, options, io));
    });
}

/** Says something about the call, on stderr. */
type Note = (color: Parameters<Paint>[0] | undefined, text: string) => void;

async function call(url: string, method: string, target: string, options: CallOptions, io: Io): Promise<number> {
  const paint = createPaint(io.stderr, io.env);
  const note: Note = (color, text) =>
    io.stderr.write(`${color === undefined ? printable(text) : paint(color, printable(text))}\n`);
  const body = await readJson(options, io);
  const headers = await readHeaders(options.header ?? [], io);
  const parameters = await readParameters(options.initialize ?? [], '--initialize', io);
  const client = createClient(url, options, parameters, io);
  narrate(client, options, note);
  const startedAt = performance.now();
  try {
    const response = await client.request({ method, path: target, headers, signal: io.signal, body });
    const milliseconds = Math.round(performance.now() - startedAt);
    note('green', `${response.status} in ${milliseconds} ms${pausedNote(client)}`);
    print(response.data, io.stdout);
    return exitCodes.good;
  } catch (error) {
    if (io.signal.aborted) throw error;
    if (error instanceof TypeError) throw new UsageError(error.message);
    return explain(error, note, options);
  } finally {
    await client.close();
  }
}

/** What `parseJson` returns: numbers that JavaScript would round are kept only in the text. */
class JsonBody {
  readonly text: string;

  constructor(text: string) {
    JSON.parse(text);
    this.text = indentJson(text);
  }
}

function print(received: unknown, stdout: Io['stdout']): void {
  // Bytes are for files and programs; on a terminal their number says more.
  if (received instanceof Uint8Array) stdout.write(stdout.isTTY ? `(${received.length} bytes)\n` : received);
  if (received instanceof JsonBody) stdout.write(`${received.text}\n`);
  if (typeof received === 'string') stdout.write(stdout.isTTY ? `${printable(received)}\n` : received);
}

/** The body is held in memory. */
const mostBytes = 1024 ** 3;

function createClient(url: string, options: CallOptions, parameters: SessionParameter[], io: Io) {
  const { initializePath: path, rateLimitHeader: header, rateLimitFormat: format, maxWait, timeout, retries } = options;
  return fromOptions(() =>
    createConnectorClient({
      baseUrl: url,
      initialize: options.login ? { parameters, path } : async () => ({}),
      rateLimit: { header, format, maxWaitMs: maxWait },
      timeoutMs: timeout,
      dispatcher: proxyOf(io.env),
      maxResponseBytes: mostBytes,
      retry: { retries },
      parseJson: (text) => new JsonBody(text),
      ...(options.cleanup && { cleanup: {} }),
    }),
  );
}

function narrate(client: ConnectorClient, { login }: CallOptions, note: Note): void {
  client.on('initialize', ({ reason, durationMs }) => {
    if (!login) return;
    const what = reason === 'first' ? 'Logged in' : 'Logged in again: the session had expired';
    note('cyan', `${what} (${Math.round(durationMs)} ms)`);
  });
  client.on('pause', ({ waitMs, resumeAt, source }) => {
    const guess = source === 'fallback' ? ', a guess: the response has no wait that can be read' : '';
    note('yellow', `Rate limit: waiting ${seconds(waitMs)} until ${resumeAt.toISOString()}${guess}`);
  });
  client.on('heartbeat', ({ remainingMs }) => note('dim', `Still waiting, ${seconds(remainingMs)} left`));
  client.on('resume', ({ pausedMs }) => note('yellow', `Resumed after ${seconds(pausedMs)}`));
  client.on('retry', ({ attempt, delayMs, error }) => {
    note('yellow', `${error.message}; retry ${attempt} in ${seconds(delayMs)}`);
  });
}

function explain(error: unknown, note: Note, { login }: CallOptions): number {
  const { message, detail, kind } = error as { message?: string; detail?: string; kind?: string };
  note('red', message ?? String(error));
  if (detail !== undefined) note(undefined, detail);
  const reaction = kind === 'unauthorized' && !login ? 'No session was sent.' : reactions[kind ?? ''];
  if (reaction !== undefined) note('dim', reaction);
  const failure = isInitializeError(error) ? error.cause : error;
  return failure instanceof RequestError && failure.status === undefined ? exitCodes.unusable : exitCodes.bad;
}

const reactions: Record<string, string> = {
  'bad-request': 'The service reports this and does not retry.',
  unauthorized: 'The service logs in again before it gives up: the connector refused the new session, too.',
  forbidden: 'A 403 without the wait header: access is denied. The service does not wait and does not retry.',
  'rate-limit': 'The rate limit lasts longer than --max-wait.',
  'not-found': 'The service reports this and does not retry.',
};

function pausedNote({ status }: ConnectorClient): string {
  const { pausedMs, logins, retries } = status.counters;
  const notes = [
    logins > 1 ? `${logins} logins` : '',
    pausedMs > 0 ? `${seconds(pausedMs)} spent waiting` : '',
    retries > 0 ? `${retries} retries` : '',
  ].filter((text) => text !== '');
  return notes.length === 0 ? '' : ` (${notes.join(', ')})`;
}

function seconds(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.ceil(milliseconds)} ms` : `${Math.ceil(milliseconds / 1000)} s`;
}

/** The text as it is: `JSON.parse` would round its numbers. A Blob names its type, which a header may replace. */
async function readJson({ data, json }: CallOptions, io: Io): Promise<Blob | undefined> {
  const given = data ?? json;
  if (given === undefined) return undefined;
  const { place, text } = await readBody(given, data === undefined ? '--json' : '--data', io);
  try {
    JSON.parse(text);
    return new Blob([text], { type: 'application/json' });
  } catch (error) {
    throw new UsageError(`${place} is not JSON: ${(error as Error).message}`);
  }
}

/** `@FILE` and `-`, the input, also take what is too large or too secret for a command line. */
async function readBody(given: string, flag: string, io: Io): Promise<{ place: string; text: string }> {
  if (given === '-') {
    return { place: `The input, which ${flag} - reads,`, text: await abortable(readAll(io.stdin), io.signal) };
  }
  if (!given.startsWith('@')) return { place: flag, text: given };
  const place = `The file ${given.slice(1)} of ${flag}`;
  try {
    return { place, text: readText(path.resolve(io.cwd, given.slice(1))) };
  } catch (error) {
    throw new UsageError(`${place} cannot be read: ${(error as Error).message}`);
  }
}
