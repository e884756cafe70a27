// Who may do what, at every interface (specification 3, 4 and 5.3, rules K7, K11, K12): one table, and what each
// interface answers. The table is written from the rules and shares no code with the package.

import { type ApiKeyErrorKind, isApiKeyError } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { type Answer, password, start } from './helpers/admin-host.js';
import { connectMcp } from './helpers/mcp.js';
import { type Administration, startAdministration } from './ui/helpers/administration.js';

type Outcome = 'ok' | 'own' | 'all' | ApiKeyErrorKind | 'unauthenticated';
type Status = 'Active' | 'Expired' | 'Revoked';
type Target = { id: string; owner: 'own' | 'foreign'; status: Status };
type Case =
  | { operation: (typeof onKeys)[number]; target: Target }
  | { operation: (typeof onLists)[number]; target?: undefined };

const roles = {
  alice: 'regular user',
  helen: 'User Management – Write',
  root: 'Super Admin',
  mallory: 'disabled',
} as const;
type Username = keyof typeof roles;
const interfaces = ['code', 'API, password', 'API, key', 'MCP, password', 'MCP, key', 'pages'] as const;
type Interface = (typeof interfaces)[number];
const onKeys = ['get', 'update', 'revoke', 'audits of'] as const;
const onLists = ['create', 'list my', 'list all', 'audits', 'audits of all', 'export'] as const;

/** The table. */
function expected(
  who: Username,
  at: Interface,
  edition: 'Professional' | 'Standard',
  { operation, target }: Case,
): Outcome {
  const hasKeys = edition === 'Professional';
  const managesAll = who === 'helen' || who === 'root';
  if (who === 'mallory') return at === 'code' ? 'forbidden' : 'unauthenticated';
  if (at.endsWith('key') && !hasKeys) return 'unauthenticated';
  if (target === undefined) {
    if (operation === 'create') return hasKeys ? 'ok' : 'forbidden';
    if (operation === 'list my') return 'own';
    if (operation === 'audits' || operation === 'export') return managesAll ? 'all' : 'own';
    // Without the right the page has no switch, and shows what it always shows.
    return managesAll ? 'all' : at === 'pages' ? 'own' : 'forbidden';
  }
  const isVisible = managesAll || target.owner === 'own';
  // In code and on its pages the key comes first; the Admin API and MCP look at the edition first.
  if (operation === 'update' && !hasKeys && (isVisible || !['code', 'pages'].includes(at))) return 'forbidden';
  if (!isVisible) return 'not-found';
  if (operation === 'get' || operation === 'audits of' || target.status === 'Active') return 'ok';
  return 'conflict';
}

type Do = (one: Case) => Promise<Outcome>;
const kinds: Readonly<Record<number, Outcome>> = {
  400: 'validation',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  // After ten failures: still nobody is let in.
  429: 'unauthenticated',
  503: 'unavailable',
};
const seen = (text: string, isList: boolean): Outcome => (!isList ? 'ok' : text.includes('Of bob') ? 'all' : 'own');
const isList = ({ operation }: Case) => (onLists as readonly string[]).includes(operation) && operation !== 'create';

function outcomeOf(status: number, text: string, one: Case): Outcome {
  if (status < 400) return seen(text, isList(one));
  const kind = kinds[status];
  if (kind === undefined) throw new Error(`${status}: ${text}`);
  return kind;
}

let created = 0;
const newKey = () => ({ name: `New ${created++}`, expiresOn: new Date(start + 90 * 86_400_000).toISOString() });

function inCode({ apiKeys }: Administration, who: Username): Do {
  const actor = { userId: `u-${who}`, username: who };
  const calls: Record<Case['operation'], (id: string) => Promise<unknown>> = {
    get: (id) => apiKeys.get(actor, id),
    update: (id) => apiKeys.update(actor, id, { name: newKey().name }),
    revoke: (id) => apiKeys.revoke(actor, id),
    'audits of': (apiKeyId) => apiKeys.audits(actor, { apiKeyId }),
    create: () => apiKeys.create(actor, newKey()),
    'list my': () => apiKeys.list(actor, { limit: 200 }),
    'list all': () => apiKeys.list(actor, { scope: 'all', limit: 200 }),
    audits: () => apiKeys.audits(actor, { limit: 200 }),
    'audits of all': () => apiKeys.audits(actor, { scope: 'all', limit: 200 }),
    export: () => apiKeys.audits(actor, { limit: 200 }),
  };
  return async (one) => {
    try {
      return seen(JSON.stringify(await calls[one.operation](one.target?.id ?? '')), isList(one));
    } catch (error) {
      if (isApiKeyError(error)) return error.kind;
      throw error;
    }
  };
}

function overHttp(host: Administration, credentials: string): Do {
  const calls: Record<Case['operation'], (id: string) => Promise<Answer>> = {
    get: (id) => host.as(credentials, 'GET', `/api-keys/${id}`),
    update: (id) => host.as(credentials, 'PATCH', `/api-keys/${id}`, { name: newKey().name }),
    revoke: (id) => host.as(credentials, 'POST', `/api-keys/${id}/revoke`),
    'audits of': (id) => host.as(credentials, 'GET', `/audits?apiKeyId=${id}`),
    create: () => host.as(credentials, 'POST', '/api-keys', newKey()),
    'list my': () => host.as(credentials, 'GET', '/api-keys?limit=200'),
    'list all': () => host.as(credentials, 'GET', '/api-keys?scope=all&limit=200'),
    audits: () => host.as(credentials, 'GET', '/audits?limit=200'),
    'audits of all': () => host.as(credentials, 'GET', '/audits?scope=all&limit=200'),
    export: () => host.as(credentials, 'GET', '/audits/export?format=ndjson'),
  };
  return async (one) => {
    const { status, text } = await calls[one.operation](one.target?.id ?? '');
    return outcomeOf(status, text, one);
  };
}

async function overMcp(host: Administration, credentials: string): Promise<Do> {
  const connection = await connectMcp(host, credentials).catch((error: Error) => {
    expect(error.message).toContain('Authentication failed.');
  });
  if (connection === undefined) return async () => 'unauthenticated';
  const { client } = connection;
  const inputs: Record<Case['operation'], (id: string) => [tool: string, input: object]> = {
    get: (id) => ['get_api_key', { id }],
    update: (id) => ['update_api_key', { id, name: newKey().name }],
    revoke: (id) => ['revoke_api_key', { id }],
    'audits of': (apiKeyId) => ['list_api_key_audits', { apiKeyId }],
    create: () => ['create_api_key', newKey()],
    'list my': () => ['list_api_keys', { limit: 200 }],
    'list all': () => ['list_api_keys', { scope: 'all', limit: 200 }],
    audits: () => ['list_api_key_audits', { limit: 200 }],
    'audits of all': () => ['list_api_key_audits', { scope: 'all', limit: 200 }],
    export: () => ['list_api_key_audits', { limit: 200 }],
  };
  const messages: readonly [RegExp, Outcome][] = [
    [/API key not found\./, 'not-found'],
    [/Only an Active API key can be/, 'conflict'],
    [/You may see only your own API keys\.|Professional and Ultimate/, 'forbidden'],
  ];
  return async (one) => {
    const [name, input] = inputs[one.operation](one.target?.id ?? '');
    const { isError, content } = await client.callTool({ name, arguments: { ...input } });
    const text = JSON.stringify(content);
    if (!isError) return seen(text, isList(one));
    const outcome = messages.find(([pattern]) => pattern.test(text))?.[1];
    if (outcome === undefined) throw new Error(`An unknown refusal: ${text}`);
    return outcome;
  };
}

async function onPages(host: Administration, who: Username): Promise<Do> {
  const visitor = await host.visitor();
  await visitor.signIn(who, password);
  const isIn = visitor.page.path.startsWith('/api-keys');
  const token = isIn ? (visitor.form('/api-keys').fields.get('token') as string) : '';
  const get = (path: string) => visitor.request(path);
  const post = (path: string, fields: Record<string, string>) =>
    visitor.request(path, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });
  const calls: Record<Case['operation'], (id: string) => ReturnType<typeof get>> = {
    get: (id) => get(`/api-keys/${id}`),
    update: (id) => post(`/api-keys/${id}/edit`, { name: newKey().name, expiry: 'keep', version: '1' }),
    revoke: (id) => post(`/api-keys/${id}/revoke`, {}),
    'audits of': (id) => get(`/api-key-audits?apiKeyId=${id}`),
    create: () => post('/api-keys/new', { name: newKey().name, expiry: '90' }),
    'list my': () => get('/api-keys?search=of'),
    'list all': () => get('/api-keys?scope=all&search=of'),
    audits: () => get('/api-key-audits?revisionType=Revoke'),
    'audits of all': () => get('/api-key-audits?revisionType=Revoke&scope=all'),
    export: () => get('/api-key-audits/export?format=csv&scope=all'),
  };
  return async (one) => {
    const { status, headers, html } = await calls[one.operation](one.target?.id ?? '');
    if (headers.get('location')?.startsWith('/sign-in')) return 'unauthenticated';
    return outcomeOf(status, html, one);
  };
}

const users = Object.keys(roles) as Username[];

describe.each([
  ...users.map((who) => ({ edition: 'Professional' as const, who, role: roles[who] })),
  // Its rights are those of the other edition, less what it does not offer: one user shows that.
  { edition: 'Standard' as const, who: 'alice' as const, role: roles.alice },
])('in the edition $edition, $who ($role)', ({ edition, who }) => {
  it.each(interfaces)('by %s, may do what the table says, and nothing else', async (at) => {
    let current = 'Professional';
    const options = { edition: async () => current };
    const host = await startAdministration({ admin: options, keys: options });
    const { key } = await host.made(`u-${who}`, `Of ${who}, to act`, 0, 30);
    const cases: Case[] = onLists.map((operation) => ({ operation }));
    for (const operation of onKeys) {
      for (const owner of ['own', 'foreign'] as const) {
        for (const status of ['Active', 'Expired', 'Revoked'] as const) {
          const userId = owner === 'own' ? `u-${who}` : 'u-bob';
          const name = `Of ${userId.slice(2)}: ${status} for ${operation}`;
          const { id } = await host.made(userId, name, status === 'Expired' ? 3 : 0, status === 'Expired' ? 1 : 30);
          if (status === 'Revoked') await host.apiKeys.revoke({ userId, username: userId.slice(2) }, id);
          cases.push({ operation, target: { id, owner, status } });
        }
      }
    }
    if (who === 'mallory') host.users.set('u-mallory', { ...host.users.get('u-mallory')!, enabled: false });
    current = edition;
    const open: Readonly<Record<Interface, () => Do | Promise<Do>>> = {
      code: () => inCode(host, who),
      'API, password': () => overHttp(host, who),
      'API, key': () => overHttp(host, key),
      'MCP, password': () => overMcp(host, who),
      'MCP, key': () => overMcp(host, key),
      pages: () => onPages(host, who),
    };
    const perform = await open[at]();
    const label = ({ operation, target }: Case) => [operation, target?.owner, target?.status].filter(Boolean).join(' ');
    const answers: [string, Outcome][] = [];
    // The lists come first: what follows changes the keys.
    for (const one of cases) answers.push([label(one), await perform(one)]);
    expect(Object.fromEntries(answers)).toEqual(
      Object.fromEntries(cases.map((one) => [label(one), expected(who, at, edition, one)])),
    );
    expect(answers).toHaveLength(30);
  });
});
