import * as fc from 'fast-check';
import { type CredentialsReader, openCredentials } from './credentials-host.js';
import { whoseCredentials } from './credentials-oracle.js';
import type { FuzzTarget } from './fuzz-target.js';
import { apply, type Edit, edits, long, text, weighted } from './texts.js';

/** A header whose value is made once there are keys: `{good}` and the like stand for them. */
interface Template {
  readonly name: string;
  readonly value: string;
  readonly changes: readonly Edit[];
}

export interface CredentialsCase {
  readonly templates: readonly Template[];
  /** How the host hands the headers over. */
  readonly form: 'Headers' | 'list' | 'pairs' | 'object';
}

const name = weighted<string>(
  [4, fc.constantFrom('x-api-key', 'X-API-KEY', 'X-Api-Key')],
  [4, fc.constantFrom('authorization', 'Authorization', 'AUTHORIZATION')],
  [1, fc.constantFrom('x-api-key ', 'x_api_key', 'proxy-authorization', 'cookie', '__proto__')],
);
const word = weighted<string>(
  [6, fc.constant('{good}')],
  [3, fc.constantFrom('{other}', '{revoked}', '{expired}', '{disabled}', '{unknown}')],
  [1, text],
);
const value = weighted<string>(
  [6, word],
  [
    6,
    fc
      .tuple(fc.constantFrom('ApiKey', 'apikey', 'APIKEY'), fc.constantFrom(' ', '  ', '\t', ''), word)
      .map((parts) => parts.join('')),
  ],
  [3, fc.constantFrom('Basic {basic}', 'basic {basic}', 'Basic {wrong}', 'Basic  {basic}', 'Basic', 'Basic ###')],
  [2, fc.tuple(word, fc.constantFrom(',', ', ', ' '), word).map((parts) => parts.join(''))],
  [
    1,
    fc.constantFrom(
      'Bearer {good}',
      'Digest username="ApiKey {good}", realm="x"',
      '',
      ' ',
      ',',
      'Bearer a, ApiKey {good}',
    ),
  ],
  [1, text],
  [1, long(fc.oneof(word, fc.constantFrom(' ', ',', 'apikey', ', ApiKey', 'ck_', '=')), 16_384)],
);
const template = fc.record({ name, value, changes: weighted<Edit[]>([3, fc.constant([])], [1, edits]) });

export const credentials: FuzzTarget<CredentialsCase, CredentialsReader> = {
  name: 'credentials',
  cases: fc.record({
    templates: weighted(
      [6, fc.array(template, { minLength: 1, maxLength: 1 })],
      [4, fc.array(template, { maxLength: 3 })],
    ),
    form: fc.constantFrom('Headers', 'list', 'pairs', 'object'),
  }),
  open: openCredentials,
  async judge(reader, { templates, form }) {
    const pairs = templates.map(({ name: header, value: pattern, changes }) => {
      const filled = pattern.replace(/\{(\w+)\}/g, (whole, key) => reader.values[key] ?? whole);
      return [header, changes.reduce(apply, filled)] as const;
    });
    const headers = toHeaders(pairs);
    const given = form === 'Headers' ? headers : inForm(pairs, form);
    if (given !== undefined) {
      const expected = whoseCredentials(pairs, reader.values, given === headers);
      const found = (await reader.authenticate(given))?.userId;
      if (!expected.byKey.includes(found)) return `${show(pairs)} authenticated ${found} instead of ${expected.byKey}`;
      const { outcome } = await reader.verify(given);
      if ((outcome === 'authenticated') !== (found !== undefined))
        return `verify says ${outcome}, authenticate ${found}`;
    }
    if (headers === undefined) return undefined;
    const answer = await reader.me(headers);
    return judgeAnswer(answer, whoseCredentials(pairs, reader.values, true).byAny, show(pairs));
  },
  defects: {
    'looks at the public part only': (reader) => ({
      ...reader,
      authenticate: async (headers) => {
        const good = reader.values.good as string;
        const found = await reader.authenticate(headers);
        return JSON.stringify(headers).includes(good.slice(0, 15)) ? { userId: 'u-ada', apiKeyId: 'x' } : found;
      },
    }),
    'forgets that an owner is disabled': (reader) => ({
      ...reader,
      authenticate: async (headers) =>
        JSON.stringify(headers).endsWith(`${reader.values.disabled}"]`)
          ? { userId: 'u-dan', apiKeyId: 'x' }
          : reader.authenticate(headers),
    }),
    'falls through from a bad key to Basic': (reader) => ({
      ...reader,
      me: async (headers) => {
        const answer = await reader.me(headers);
        const authorization = headers.get('authorization');
        return answer.status === 401 && authorization ? reader.me(new Headers({ authorization })) : answer;
      },
    }),
    'refuses the scheme in capitals': (reader) => ({
      ...reader,
      authenticate: async (headers) =>
        JSON.stringify(headers).includes('APIKEY') ? undefined : reader.authenticate(headers),
    }),
    'answers 500 for a long header': (reader) => ({
      ...reader,
      me: async (headers) =>
        (headers.get('x-api-key')?.length ?? 0) > 1000 ? { status: 500, text: '' } : reader.me(headers),
    }),
  },
};

type Pairs = readonly (readonly [string, string])[];

/** `undefined` where fetch has no such headers. */
function toHeaders(pairs: Pairs): Headers | undefined {
  try {
    return new Headers(pairs as [string, string][]);
  } catch {
    return undefined;
  }
}

function inForm(pairs: Pairs, form: 'list' | 'pairs' | 'object') {
  if (form === 'list') return pairs.flat();
  if (form === 'pairs') return pairs;
  const record: Record<string, string[]> = {};
  for (const [header, content] of pairs) {
    if (Object.hasOwn(record, header)) record[header]?.push(content);
    else Object.defineProperty(record, header, { value: [content], enumerable: true });
  }
  return record;
}

function judgeAnswer(
  answer: Awaited<ReturnType<CredentialsReader['me']>>,
  expected: readonly (string | undefined)[],
  shown: string,
) {
  const { status, userId, text: content } = answer;
  if (status !== 200 && status !== 401) return `${shown} was answered ${status} ${content}`;
  if (status === 401 && content !== refusal) return `${shown} was refused with ${content}`;
  return expected.includes(userId) ? undefined : `${shown} was answered as to ${userId} instead of ${expected}`;
}

/** Specification 7.1: one answer for every failure (K9). */
const refusal = JSON.stringify({
  errorMessage: 'Authentication failed. Valid credentials are required to access this resource.',
  stackTrace: null,
});

const show = (pairs: Pairs) => JSON.stringify(pairs).slice(0, 600);
