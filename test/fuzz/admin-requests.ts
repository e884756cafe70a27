import * as fc from 'fast-check';
import { apply, type Edit, edits, json, long, text, weighted } from './texts.js';

/** One request to the Admin API; `{mine}`, `{theirs}` and the like in its path stand for ids of keys. */
export interface ApiRequest {
  readonly as: 'alice' | 'mallory' | 'root';
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly body: string | undefined;
}

const name = weighted<unknown>(
  [6, fc.string({ unit: fc.constantFrom(...'abcXYZ 019-_'), minLength: 1, maxLength: 100 })],
  [3, text],
  [1, json],
  [1, long(text)],
);
const expiresOn = weighted<unknown>(
  [6, fc.constantFrom('2027-01-01', '2026-12-31T10:00:00Z', '2027-03-01T00:00:00.000+02:00')],
  [2, fc.constantFrom('2020-01-01', '2031-01-01', '2027-02-31', '2027-01-01T10:00:00', '', null, 1e15)],
  [1, fc.tuple(fc.constant('2027-01-01T00:00:00Z'), edits).map(([value, changes]) => changes.reduce(apply, value))],
  [1, json],
);
const fields = fc.record(
  {
    ...{ name, expiresOn },
    version: fc.oneof(fc.integer({ min: -1, max: 5 }), json),
    // Names that a careless reader would take over.
    ...{ owner: json, ownerId: fc.constant('u-bob'), userId: fc.constant('u-bob'), id: json, key: json, status: json },
    createdBy: fc.constantFrom('u-bob', { id: 'u-bob', username: 'bob' }),
    ...{ superAdmin: fc.constant(true), permissions: fc.constant(['User Management – Write']) },
  },
  { requiredKeys: [] },
);
const complete = fc
  .tuple(fields, name, expiresOn)
  .map(([more, ...rest]) => ({ ...more, name: rest[0], expiresOn: rest[1] }));
const written = fc.oneof(complete, fields, json).map((value) => JSON.stringify(value) ?? '');
const changed = fc.tuple(written, edits).map(([value, changes]) => changes.reduce(apply, value));
const pollution = '{"__proto__":{"superAdmin":true},"constructor":{"prototype":{"superAdmin":true}},"name":"x"}';
const body = weighted<string | undefined>(
  [10, written],
  [3, changed],
  [1, fc.constantFrom('', '[', 'null', pollution)],
  [1, long(fc.oneof(text, fc.constantFrom('[', '{"a":', ' ', '"name":"x",')))],
);

const position = fc.oneof(json, fc.constantFrom('-createdOn', 'name', 0, -1, 1e300, '\0', '9'.repeat(30)));
const cursor = weighted<string>(
  [4, fc.constant('{cursor}')],
  [3, fc.array(position, { maxLength: 4 }).map((value) => Buffer.from(JSON.stringify(value)).toString('base64url'))],
  [1, text],
  [1, long(fc.constantFrom('A', '=', '{cursor}'))],
);
const parameters: Record<string, fc.Arbitrary<string>> = {
  scope: fc.oneof(fc.constantFrom('my', 'all'), text),
  status: fc.oneof(fc.constantFrom('Active', 'Expired', 'Revoked'), text),
  search: weighted<string>([3, text], [1, long(fc.constantFrom('%', '_', '\\', 'a'), 4096)]),
  sort: fc.oneof(
    fc.constantFrom('name', '-name', 'createdOn', '-createdOn', 'expiresOn', '-lastAccessed', 'createdBy', 'status'),
    text,
  ),
  limit: fc.oneof(fc.constantFrom('1', '2', '200'), fc.integer().map(String), text),
  total: fc.oneof(fc.constantFrom('true', 'false'), text),
  revisionType: fc.oneof(fc.constantFrom('Create', 'Update', 'Revoke'), text),
  apiKeyId: fc.oneof(fc.constantFrom('{mine}', '{theirs}'), text),
  cursor,
};
const parameter = fc
  .constantFrom(...Object.keys(parameters))
  .chain((key) => fc.tuple(fc.constant(key), parameters[key] as fc.Arbitrary<string>));
const query = fc.array(fc.oneof({ weight: 8, arbitrary: parameter }, { weight: 1, arbitrary: fc.tuple(text, text) }), {
  maxLength: 3,
});

const id = weighted<string>(
  [4, fc.constantFrom('{mine}', '{theirs}', '{mine}', '{revoked}')],
  [1, text.map(encode)],
  [
    1,
    fc
      .tuple(fc.constant('{theirs}'), edits)
      .map(([value, changes]: [string, Edit[]]) => encode(changes.reduce(apply, value))),
  ],
);
const route = fc.oneof(
  fc.constant(['POST', '/api-keys']),
  fc.constant(['GET', '/api-keys']),
  fc.constant(['GET', '/audits']),
  fc.constant(['GET', '/me']),
  id.map((value) => ['GET', `/api-keys/${value}`]),
  id.map((value) => ['PATCH', `/api-keys/${value}`]),
  id.map((value) => ['POST', `/api-keys/${value}/revoke`]),
  fc
    .tuple(fc.constantFrom('PUT', 'DELETE', 'HEAD', 'OPTIONS', 'GET', 'POST'), text)
    .map(([method, rest]) => [method, `/${encode(rest)}`]),
) as fc.Arbitrary<[string, string]>;

export const apiRequest: fc.Arbitrary<ApiRequest> = fc
  .record({ as: fc.constantFrom('alice', 'alice', 'mallory', 'root'), route, query, body })
  .map(({ as, route: [method, path], query: pairs, body: content }) => ({
    as: as as ApiRequest['as'],
    ...{ method, path, query: pairs.map(([key, value]) => `${encode(key)}=${encode(value)}`).join('&') },
    body: method === 'GET' || method === 'HEAD' ? undefined : content,
  }));

/** As a URL carries it, which half a character cannot be. */
function encode(value: string): string {
  return encodeURIComponent(value.replace(/\p{Surrogate}/gu, '\ufffd')).replace(/%7B(\w+)%7D/g, '{$1}');
}
