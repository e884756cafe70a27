import * as contract from 'concordat';
import { errorResponse } from 'concordat/connector';
import { z } from 'zod';

const { ConnectorError, formatWait, isConnectorError, parseErrorPayload, parseWait, waitFormats } = contract;

// Saturday, 21 November 2026, 09:00:00 UTC.
const now = Date.UTC(2026, 10, 21, 9);

const waits = [
  ...['', ' ', '0', '7', '007', '-3', '1.5', '1e3', '60 s', '٦٠', 'Infinity', '9'.repeat(400), '\u00a060'],
  ...['Sat, 21 Nov 2026 09:01:00 GMT', 'Saturday, 21-Nov-26 09:01:00 GMT', 'Sat Nov 21 09:01:00 2026'],
  ...['Fri, 31 Feb 2026 00:00:00 GMT', 'Sat, 21 Nov 2026 23:59:60 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT'],
  ...[
    '2026-11-21T09:01:00Z',
    '2026-11-21T10:01:00.5+01:00',
    '2026-11-21',
    '1795251660',
    '1795251660000',
    'PT1M',
    '1m30s',
  ],
];

const payloads = [
  ...[
    '',
    '{}',
    'null',
    '[]',
    '7',
    '{"errors":',
    '{"errors":{}}',
    '{"errors":{"code":"A"}}',
    '{"errors":{"message":"m"}}',
  ],
  ...['{"errors":{"code":7,"message":"m","detail":{"a":[1,null]}}}', '{"errors":[{"code":"A","message":"m"}]}'],
  ...[
    '{"errors":{"code":"A","message":"Größe 漢字 🙂 \\ud83d"}}',
    '{"errors":{"__proto__":{"code":"A"},"message":"m"}}',
  ],
];

const invalid = (): never => z.never().parse(7);

const failures: Record<string, () => never> = {
  'bad request': () => raise(new contract.BadRequestError('title is missing', { code: 'NO_TITLE' })),
  unauthorized: () => raise(new contract.UnauthorizedError()),
  denial: () => raise(new contract.ForbiddenError('Not yours', { code: 17, headers: { 'RETRY-AFTER': '30' } })),
  'rate limit': () => raise(new contract.RateLimitError('Slow down', { retryAfterMs: 1500 })),
  'not found': () => raise(new contract.NotFoundError('Größe 漢字 🙂', { detail: { id: 7, at: new Date(now) } })),
  'end system': () => raise(new ConnectorError('Down', { status: 502, headers: { 'X-Trace': 'abc' } })),
  'long detail': () => raise(new ConnectorError('Big', { status: 500, detail: 'é'.repeat(20_000) })),
  'unforeseen error': () => raise(new TypeError('password=canary')),
  'error of zod': () => raise(caught(invalid)),
  text: () => raise('canary'),
  nothing: () => raise(null),
};

function raise(value: unknown): never {
  throw value;
}

/** What the contract makes of many inputs, one line each. Every runtime has to write the lines that Node writes. */
export async function contractLines(): Promise<string[]> {
  const lines: string[] = [];
  const write = (...values: unknown[]) => void lines.push(JSON.stringify(values));
  for (const format of waitFormats) {
    for (const value of waits) write('parseWait', format, value, parseWait(value, { format, now }));
    for (const wait of [0, 1, 1500, 86_400_000]) write('formatWait', format, wait, formatWait(wait, { format, now }));
  }
  for (const text of payloads) write('parseErrorPayload', text, parseErrorPayload(readJson(text)));
  for (const [name, fail] of Object.entries(failures)) {
    const thrown = caught(fail);
    const response = errorResponse(thrown);
    write('errorResponse', name, response.status, [...response.headers].sort(), await response.text());
    if (!isConnectorError(thrown)) continue;
    const { name: className, kind, message, stack = '' } = thrown;
    write(
      'class',
      className,
      kind,
      message,
      String(thrown),
      thrown instanceof ConnectorError,
      stack.includes('caught'),
    );
  }
  return lines;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function caught(fail: () => never): unknown {
  try {
    return fail();
  } catch (error) {
    return error;
  }
}
