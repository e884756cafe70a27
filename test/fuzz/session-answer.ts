import { inspect } from 'node:util';
import { parseErrorPayload } from 'concordat';
import { createConnectorClient, InitializeError } from 'concordat/client';
import { createConnector } from 'concordat/connector';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { FuzzTarget } from './fuzz-target.js';
import { json, long, mutated, text, weighted } from './texts.js';

export interface SessionCase {
  /** What initialize answers with. */
  readonly body: string;
  readonly contentType: string;
  /** The session itself, where the body is nothing else: its values, and only they, hold the canary. */
  readonly session: unknown;
}

export interface SessionReader {
  /** Logs in with this answer and sends one request: its headers, or the error. */
  logIn(answer: () => Response): Promise<{ headers?: Record<string, string> | undefined; error?: unknown }>;
  /** What a connector answers whose handler hands this session out. */
  handOut(session: unknown): Promise<Response>;
}

const canary = 'canary-of-a-session';
const headerName = fc.constantFrom('x-session', 'X-Token', 'authorization', 'cookie', 'x-tenant', 'X_y', 'a');
const forbidden = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-authorization', 'proxy-x', 'te'],
  ...['trailer', 'transfer-encoding', 'upgrade'],
];
const key = weighted<string>(
  [6, headerName],
  [2, fc.constantFrom(...forbidden, 'Host', 'TE', '__proto__', 'constructor', 'accept', 'Range')],
  [1, mutated(headerName)],
  [1, text],
);
const value = weighted<string>(
  [6, fc.string({ unit: fc.constantFrom(...'abcXYZ019-_.=;'), maxLength: 20 }).map((rest) => canary + rest)],
  [2, text.map((rest) => canary + rest)],
  [1, long(fc.constantFrom('a', ' ', '\t', 'é', '"')).map((rest) => canary + rest)],
);
const entry = fc.record({ key, value, sensitive: fc.boolean() }, { requiredKeys: ['key', 'value'] });
const many = fc
  .integer({ min: 100, max: 3000 })
  .map((count) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: canary })));
const session = weighted<unknown>(
  [30, fc.array(entry, { maxLength: 4 })],
  [20, fc.array(fc.tuple(key, value), { maxLength: 4 }).map(Object.fromEntries)],
  [5, fc.array(fc.oneof(entry, json), { maxLength: 4 })],
  [5, json],
  [1, many],
);
const orderly = session.map((content) => ({ session: content, body: JSON.stringify(content) ?? '' }));
const disorderly = weighted<string>(
  [4, mutated(orderly.map(({ body }) => body))],
  [1, text],
  [1, long(fc.oneof(text, fc.constantFrom('[', '{"a":', '[{"key":"a","value":"b"},')))],
).map((body) => ({ session: undefined, body }));

export const sessionAnswer: FuzzTarget<SessionCase, SessionReader> = {
  name: 'session-answer',
  cases: fc
    .tuple(fc.oneof(orderly, disorderly), fc.constantFrom('application/json', 'text/plain', ''))
    .map(([content, contentType]) => ({ ...content, contentType })),
  open: async () => ({ reader: { logIn, handOut: createHandOut() } }),
  async judge(reader, { body, contentType, session: given }) {
    const outcome = await reader.logIn(() => new Response(body, { headers: { 'content-type': contentType } }));
    const complaint = outcome.headers
      ? (judgeHeaders(Object.entries(outcome.headers)) ?? judgeWhole(outcome.headers, given))
      : judgeError(outcome.error, given);
    if (complaint !== undefined || given === undefined) return complaint;
    return await judgeHandedOut(await reader.handOut(given));
  },
  defects: {
    'lets a line break out': (reader) => ({
      ...reader,
      logIn: async (answer) => {
        const { headers, error } = await reader.logIn(answer);
        return headers?.cookie
          ? { headers: { ...headers, cookie: `${headers.cookie}\r\nx-admin: 1` } }
          : { headers, error };
      },
    }),
    'lets a hop-by-hop header out': (reader) => ({
      ...reader,
      logIn: async (answer) => {
        const names = (await answer().text()).match(/"te"/i);
        return names ? { headers: { te: 'trailers' } } : reader.logIn(answer);
      },
    }),
    'shows the value in its error': (reader) => ({
      ...reader,
      logIn: async (answer) => {
        const outcome = await reader.logIn(answer);
        const found = (await answer().text()).match(/canary-of-a-session\w{3}/)?.[0];
        return outcome.error && found ? { error: new InitializeError(`a bad session: ${found}`) } : outcome;
      },
    }),
    'loses a header': (reader) => ({
      ...reader,
      logIn: async (answer) => {
        const { headers, error } = await reader.logIn(answer);
        return headers
          ? { headers: Object.fromEntries(Object.entries(headers).filter(([name]) => name !== 'x-tenant')) }
          : { error };
      },
    }),
    'answers a bad session of the handler with a page': (reader) => ({
      ...reader,
      handOut: async (content) => {
        const answer = await reader.handOut(content);
        return answer.status >= 400 ? new Response('<html>', { status: answer.status }) : answer;
      },
    }),
  },
};

async function logIn(answer: () => Response) {
  let sent: Record<string, string> | undefined;
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: { parameters: {} },
    fetch: async (input, init) => {
      if (String(input).endsWith('/initialize')) return answer();
      sent = init?.headers as Record<string, string>;
      return Response.json({});
    },
    retry: { retries: 0 },
  });
  try {
    await client.get('/items');
    return { headers: sent ?? {} };
  } catch (error) {
    return { error };
  } finally {
    await client.close();
  }
}

function createHandOut() {
  let current: unknown;
  const connector = createConnector({
    initialize: { parameters: z.object({}), handler: () => current as Record<string, string> },
    session: z.object({}),
    onError: () => {},
  });
  return async (content: unknown) => {
    current = content;
    return await connector.fetch(new Request('http://connector.test/initialize', { method: 'POST', body: '[]' }));
  };
}

const mostHeaderBytes = 128 * 1024;

/** Rules S2 and E8: whatever was answered, what goes out are headers, few enough, and none that are the transport's. */
function judgeHeaders(headers: readonly (readonly [string, unknown])[]): string | undefined {
  let bytes = 0;
  for (const [name, content] of headers) {
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return `The header ${JSON.stringify(name)} went out`;
    if (forbidden.includes(name.toLowerCase()) || name.toLowerCase().startsWith('proxy-')) return `${name} went out`;
    if (typeof content !== 'string' || /[^\t\x20-\x7e\x80-\xff]/.test(content))
      return `${name} went out with ${inspect(content)}`;
    bytes += name.length + content.length;
  }
  return bytes > mostHeaderBytes ? `${headers.length} headers of ${bytes} bytes went out` : undefined;
}

const ordinary = /^(?:x-session|x-token|authorization|cookie|x-tenant|x_y|a)$/i;

/** A session of ordinary headers goes out whole. */
function judgeWhole(headers: Record<string, string>, given: unknown): string | undefined {
  if (given === undefined) return undefined;
  const expected = ordinaryHeaders(given);
  const missing = expected?.find(([name, content]) => headers[name.toLowerCase()] !== content);
  return missing && `${missing[0]} should have gone out with ${missing[1]}: ${JSON.stringify(headers)}`;
}

/** Its entries when each of them is beyond doubt right; else `undefined`. */
function ordinaryHeaders(given: unknown): readonly (readonly [string, string])[] | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const entries = Array.isArray(given)
    ? given.map((item) => [item?.key, item?.value] as const)
    : Object.entries(given as Record<string, string>);
  const isOrdinary = entries.every(
    ([name, content]) =>
      [name, content].every((word) => typeof word === 'string') &&
      ordinary.test(name) &&
      /^[\w.=;-]{1,100}$/.test(content),
  );
  if (!isOrdinary || entries.length === 0) return undefined;
  const names = new Set(entries.map(([name]) => name.toLowerCase()));
  return names.size === entries.length ? entries : undefined;
}

/** Rules S2 and S7. */
function judgeError(error: unknown, given: unknown): string | undefined {
  if (!(error instanceof InitializeError)) return `The call ended with ${inspect(error)} instead of an InitializeError`;
  if (error.message.trim() === '' || error.message.length > 10_000)
    return `Its message has ${error.message.length} characters`;
  if (given === undefined) return undefined; // there the canary may have become the name of something
  if (ordinaryHeaders(given) !== undefined) return `An ordinary session was refused: ${error.message}`;
  return inspect(error, { depth: 5 }).includes(canary) ? `The error shows a value: ${error.message}` : undefined;
}

async function judgeHandedOut(answer: Response): Promise<string | undefined> {
  const content = await answer.text();
  if (answer.status === 200) {
    const list = JSON.parse(content) as { key: string; value: string }[];
    return judgeHeaders(list.map((item) => [item.key, item.value]));
  }
  const code = parseErrorPayload(content)?.errors.code;
  // A value that the user gave, and requests would not bring back, is the user's to mend; all else is the author's.
  const isRight = answer.status === 400 ? code === 'SESSION_NOT_SENDABLE' : answer.status === 500 && code !== undefined;
  if (!isRight) return `The connector answered ${answer.status} ${content}`;
  return content.includes(canary) ? `The connector's error shows a value: ${content}` : undefined;
}
