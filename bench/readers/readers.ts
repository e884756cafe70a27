import { parseErrorPayload, parseWait } from 'concordat';
import { createAdmin } from 'concordat/admin';
import { openApiKeys } from 'concordat/api-keys';
import { createConnectorClient } from 'concordat/client';
import { createConnector, endSystemFetch } from 'concordat/connector';
import { z } from 'zod';
import { parseQuota } from '../../src/contract/index.js';
import { headerText } from '../../test/helpers/growth.js';

export interface Reader {
  readonly name: string;
  /** What E8 lets it read; of headers, what Node does. */
  readonly boundBytes: number;
  read(text: string): unknown;
}

const kibibyte = 1024;
const headerBytes = 16 * kibibyte;
const json = { 'content-type': 'application/json' };

/** One client whose connector is a function: sockets would cost more than what is measured. */
const answers = { login: '{"x-session":"a-session"}', next: () => new Response() };
const connect = () =>
  createConnectorClient({
    baseUrl: 'http://connector.invalid',
    initialize: { parameters: {} },
    retry: { retries: 0 },
    loginCooldownMs: 0,
    rateLimit: { onLimit: 'reject' },
    fetch: async (url) => (String(url).endsWith('/initialize') ? new Response(answers.login) : answers.next()),
  });
const client = connect();
const answered = (respond: (text: string) => Response) => (text: string) => {
  answers.next = () => respond(text);
  return client.get('/items');
};
const errorOf = (text: string) => JSON.stringify({ errors: { code: text, message: text, detail: text } });

const endSystem = (preset: 'generic' | 'graphql' | 'soap', status: number) => (text: string) => {
  const respond = async () => new Response(text, { status, headers: json });
  return endSystemFetch({ preset, fetch: respond })('http://end-system.invalid/');
};

const connector = createConnector({
  initialize: { parameters: z.object({ user: z.string().max(5) }), handler: () => ({ 'x-session': 'a' }) },
  session: z.object({ 'x-session': z.string() }),
  onError() {},
});

const ada = { id: 'ada', username: 'ada', superAdmin: true };
const users = { findById: () => ada, findByUsername: () => ada };
const apiKeys = await openApiKeys({ database: ':memory:', edition: 'Professional', users });
const admin = createAdmin({ apiKeys, users, edition: 'Professional' });
const { key } = await apiKeys.create(
  { userId: ada.id, username: ada.username },
  { name: 'Bench', expiresOn: apiKeys.maxExpiresOn() },
);
const ask = (path: string, headers: Record<string, string>, body?: string) =>
  admin.fetch(new Request(`http://127.0.0.1${path}`, { headers, ...(body !== undefined && { method: 'POST', body }) }));

export const readers: readonly Reader[] = [
  { name: 'wait', boundBytes: kibibyte, read: (text) => parseWait(text, { date: text }) },
  { name: 'wait, ISO 8601', boundBytes: kibibyte, read: (text) => parseWait(text, { format: 'iso-8601' }) },
  { name: 'announced quota', boundBytes: kibibyte, read: (text) => parseQuota({ policy: text, current: text }) },
  { name: 'error body', boundBytes: kibibyte ** 2, read: parseErrorPayload },
  {
    name: 'client: error',
    boundBytes: kibibyte ** 2,
    read: answered((text) => new Response(errorOf(text.slice(text.length / 3)), { status: 400, headers: json })),
  },
  { name: 'client: page', boundBytes: kibibyte ** 2, read: answered((text) => new Response(text, { status: 400 })) },
  {
    name: 'client: success',
    boundBytes: 8 * kibibyte ** 2,
    read: answered((text) => new Response(JSON.stringify(text), { headers: json })),
  },
  {
    name: 'client: content type',
    boundBytes: headerBytes,
    read: answered((text) => new Response('{}', { headers: { 'content-type': headerText(text) } })),
  },
  {
    name: 'client: wait header',
    boundBytes: headerBytes,
    read: answered((text) => new Response('{}', { status: 403, headers: { 'retry-after': headerText(text) } })),
  },
  {
    name: 'client: login',
    boundBytes: kibibyte ** 2,
    async read(text) {
      answers.login = text;
      const own = connect();
      await own.get('/items').finally(() => {
        answers.login = '{"x-session":"a-session"}';
        return own.close();
      });
    },
  },
  { name: 'end system: error', boundBytes: 64 * kibibyte, read: endSystem('generic', 400) },
  { name: 'end system: SOAP', boundBytes: 64 * kibibyte, read: endSystem('soap', 500) },
  { name: 'end system: GraphQL, 200', boundBytes: kibibyte ** 2, read: endSystem('graphql', 200) },
  {
    name: 'connector: login',
    boundBytes: kibibyte ** 2,
    read: (text) => connector.request('/initialize', { method: 'POST', body: JSON.stringify({ user: text, a: text }) }),
  },
  {
    name: 'connector: session',
    boundBytes: headerBytes,
    read: (text) => connector.request('/none', { headers: { 'x-session': 'a', authorization: headerText(text) } }),
  },
  { name: 'presented key', boundBytes: headerBytes, read: (text) => apiKeys.verify({ authorization: text }) },
  {
    name: 'admin: credentials',
    boundBytes: headerBytes,
    read: (text) => ask('/api/v1/me', { authorization: headerText(text), cookie: headerText(text) }),
  },
  {
    name: 'admin: search',
    boundBytes: headerBytes,
    read: (text) => ask(`/api/v1/api-keys?search=${encodeURIComponent(text)}`, { 'x-api-key': key }),
  },
  {
    name: 'admin: body',
    boundBytes: kibibyte ** 2,
    read: (text) => ask('/api/v1/api-keys', { ...json, 'x-api-key': key }, JSON.stringify({ name: text })),
  },
  {
    name: 'admin: form',
    boundBytes: kibibyte ** 2,
    read: (text) => ask('/sign-in', { 'content-type': 'application/x-www-form-urlencoded' }, text),
  },
  { name: 'MCP message', boundBytes: kibibyte ** 2, read: (text) => ask('/mcp', { ...json, 'x-api-key': key }, text) },
];
