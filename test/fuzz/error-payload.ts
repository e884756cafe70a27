import { type ConnectorError, isConnectorError, parseErrorPayload } from 'concordat';
import { createConnectorClient } from 'concordat/client';
import * as fc from 'fast-check';
import type { FuzzTarget } from './fuzz-target.js';
import { hostileValue } from './hostile-values.js';
import { json, long, mutated, text, weighted } from './texts.js';

export interface ErrorCase {
  /** Handed to `parseErrorPayload` as it is. */
  readonly value: unknown;
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface ErrorReader {
  parse: typeof parseErrorPayload;
  /** What a call is rejected with when this is the answer. */
  failureOf(answer: () => Response): Promise<unknown>;
}

const plain = fc.string({ unit: fc.constantFrom(...'abcXYZ 019_-.,:'), maxLength: 60 });
const word = weighted<unknown>([4, plain], [3, text], [1, json], [1, long(text)]);
const entry = fc.record({ code: word, message: word, detail: word }, { requiredKeys: [] });
const orderly = fc.record({
  errors: fc.record({
    code: fc.stringMatching(/^[A-Z_]{2,30}$/),
    message: fc.stringMatching(/^[A-Za-z0-9.]{2,60}$/),
  }),
});
const contract = fc.oneof(
  orderly,
  fc.record({ errors: fc.oneof(entry, fc.array(fc.oneof(entry, json), { maxLength: 3 })) }),
  fc.record({ title: word, detail: word, status: word, type: word }, { requiredKeys: [] }),
  fc.record({ errors: json, code: word, message: word }, { requiredKeys: [] }),
);
const written = contract.map((value) => JSON.stringify(value));
const body = weighted<string>(
  [8, mutated(written)],
  [2, json.map((value) => JSON.stringify(value) ?? '')],
  [2, text],
  [1, fc.constantFrom('<html>Sign in</html>', '', 'null', '[', '\ufeff{"errors":{"message":"m"}}')],
  [1, long(fc.oneof(text, fc.constantFrom('[', '{"errors":', '{"a":', ' ', '\\"', '"errors":{"message":"m"},')))],
);

const kinds: Readonly<Record<number, string>> = {
  ...{ 400: 'bad-request', 401: 'unauthorized', 403: 'forbidden', 404: 'not-found' },
};

export const errorPayload: FuzzTarget<ErrorCase, ErrorReader> = {
  name: 'error-payload',
  cases: fc.record({
    value: weighted<unknown>([2, hostileValue], [2, contract], [1, json], [1, body]),
    status: fc.oneof(
      fc.constantFrom(400, 401, 403, 404, 409, 422, 429, 500, 502, 503),
      fc.integer({ min: 400, max: 599 }),
    ),
    headers: fc.record(
      {
        'content-type': fc.constantFrom('application/json', 'text/html', 'application/problem+json', ';', ''),
        'retry-after': fc.constantFrom('0', '5', 'soon', '', '9'.repeat(400), 'Sat, 21 Nov 2026 09:00:00 GMT'),
        date: fc.constantFrom('Sat, 21 Nov 2026 09:00:00 GMT', 'noon'),
      },
      { requiredKeys: [] },
    ),
    body,
  }),
  open: async () => ({ reader: { parse: parseErrorPayload, failureOf } }),
  async judge(reader, given) {
    const parsed = reader.parse(given.value, 'FALLBACK');
    const complaint = parsed === undefined ? undefined : judgePayload(parsed, 'parseErrorPayload');
    if (complaint !== undefined) return complaint;
    const { status, headers, body: content } = given;
    const error = await reader.failureOf(() => new Response(content, { status, headers }));
    return judgeError(error, given) ?? judgeContractBody(error as ConnectorError, content);
  },
  defects: {
    'answers without a message': (reader) => ({
      ...reader,
      parse: (...words) => {
        const parsed = reader.parse(...words);
        return parsed && { errors: { ...parsed.errors, message: parsed.errors.message.trimEnd().slice(0, -1) } };
      },
    }),
    'throws for a getter that throws': (reader) => ({
      ...reader,
      parse: (value, code) => {
        if (typeof value === 'object' && value !== null) void (value as { errors?: unknown }).errors;
        return reader.parse(value, code);
      },
    }),
    'throws a SyntaxError for a body that is no JSON': (reader) => ({
      ...reader,
      failureOf: async (answer) => {
        try {
          JSON.parse(await answer().text());
        } catch (error) {
          return error;
        }
        return reader.failureOf(answer);
      },
    }),
    'takes a limit for a denial': (reader) => ({
      ...reader,
      failureOf: (answer) => {
        const response = answer();
        response.headers.delete('retry-after');
        return reader.failureOf(() => response);
      },
    }),
    'loses the code': (reader) => ({
      ...reader,
      failureOf: async (answer) => {
        const error = await reader.failureOf(answer);
        return isConnectorError(error) && error.origin === 'connector' ? Object.assign(error, { code: 'X' }) : error;
      },
    }),
  },
};

/** A client that is logged in and asks once; its limits reject, so that nothing is waited for. */
async function failureOf(answer: () => Response): Promise<unknown> {
  const client = createConnectorClient({
    baseUrl: 'http://connector.test',
    initialize: async () => ({ 'x-session': 'a-session-of-the-fuzz-run' }),
    fetch: async () => answer(),
    retry: { retries: 0 },
    rateLimit: { onLimit: 'reject' },
    freshSessionGraceMs: 0,
  });
  try {
    return await client.get('/items').then(
      () => 'nothing',
      (error) => error,
    );
  } finally {
    await client.close();
  }
}

/** Rule E1: exactly these members, with something in them. */
function judgePayload(payload: unknown, what: string): string | undefined {
  const { errors, ...rest } = payload as { errors: Record<string, unknown> };
  const { code, message, detail, ...others } = errors;
  const isRight =
    Object.keys({ ...rest, ...others }).length === 0 &&
    [code, message].every((word) => typeof word === 'string' && word.trim() !== '') &&
    (detail === undefined || (typeof detail === 'string' && detail !== ''));
  return isRight ? undefined : `${what} gave ${JSON.stringify(payload)?.slice(0, 500)}`;
}

/** Rules E2, E6, E7, W2, W3: status and header make the kind, and nothing in a body can take the error away. */
function judgeError(error: unknown, { status, headers }: ErrorCase): string | undefined {
  if (!isConnectorError(error)) return `The call ended with ${String(error)} instead of a ConnectorError`;
  const isLimit = status === 429 || ((status === 403 || status === 503) && headers['retry-after'] !== undefined);
  const kind = isLimit ? 'rate-limit' : (kinds[status] ?? 'other');
  if (error.kind !== kind) return `A ${status} became ${error.kind} instead of ${kind}`;
  if (!isLimit && error.status !== status) return `A ${status} became a ${error.status}`;
  return judgePayload(error.toPayload(), 'toPayload') ?? judgeWords(error);
}

const mostWordBytes = 32 * 1024;
/** Control characters but for tab and line feed, and those that change the direction of text. */
const unclean = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u;

/** Rule E8. */
function judgeWords(error: ConnectorError): string | undefined {
  for (const name of ['code', 'message'] as const) {
    if (Buffer.byteLength(error[name]) > mostWordBytes) return `\`${name}\` has ${error[name].length} characters`;
    if (unclean.test(error[name])) return `\`${name}\` holds control characters: ${JSON.stringify(error[name])}`;
  }
  return undefined;
}

/** A contract body as the rules write it arrives as it is. */
function judgeContractBody(error: ConnectorError, content: string): string | undefined {
  if (!/^\{"errors":\{"code":"[A-Z_]{2,30}","message":"[A-Za-z0-9.]{2,60}"\}\}$/.test(content)) return undefined;
  const { code, message } = JSON.parse(content).errors;
  if (error.origin === 'connector' && error.code === code && error.message.includes(message)) return undefined;
  return `${content} became ${error.origin} ${error.code}: ${error.message}`;
}
