import { createAdmin } from 'concordat/admin';
import { type ApiKey, type DirectoryUser, openApiKeys } from 'concordat/api-keys';
import type { ApiRequest } from './admin-requests.js';

export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  readonly body: any;
  /** What the host was told meanwhile. */
  readonly errors: readonly unknown[];
}

export interface AdminReader {
  send(request: ApiRequest): Promise<Sent>;
  /** Who made a key; `undefined` for an id that is none. */
  ownerOf(apiKeyId: string): string | undefined;
  /** Bob's key, when it is not what it was before the last request. */
  changedKeyOfBob(): Promise<ApiKey | undefined>;
}

const start = Date.UTC(2026, 10, 21, 9);
const users: readonly DirectoryUser[] = [
  ...['alice', 'bob', 'mallory'].map((username) => ({ id: `u-${username}`, username })),
  { id: 'u-root', username: 'root', superAdmin: true },
];
const root = { userId: 'u-root', username: 'root', superAdmin: true };

/** An administration on a database in memory, with a key for each user to act with, and two of alice's and bob's to act on. */
export async function openAdminApi() {
  const errors: unknown[] = [];
  const onError = (error: unknown) => errors.push(error);
  const clock = { now: () => start };
  const directory = {
    findById: async (id: string) => users.find((user) => user.id === id),
    findByUsername: async (name: string) => users.find(({ username }) => username === name),
  };
  const edition = 'Professional';
  const apiKeys = await openApiKeys({ database: ':memory:', edition, users: directory, clock, onError });
  const admin = createAdmin({ apiKeys, users: directory, edition, clock, onError });
  const owners = new Map<string, string>();
  const create = async (username: string, name: string) => {
    const actor = { userId: `u-${username}`, username };
    const created = await apiKeys.create(actor, { name, expiresOn: '2027-10-01' });
    owners.set(created.apiKey.id, actor.userId);
    return created;
  };
  const acting = {
    alice: await create('alice', 'Acting for alice'),
    mallory: await create('mallory', 'Acting for mallory'),
    root: await create('root', 'Acting for root'),
  };
  const actingIds = new Set(Object.values(acting).map(({ apiKey }) => apiKey.id));
  let [mine, theirs] = [await create('alice', 'Mine'), await create('bob', 'Theirs')];
  const revoked = await create('alice', 'Revoked');
  await apiKeys.revoke(root, revoked.apiKey.id);
  let [cursor, round] = ['none', 0];

  async function send({ as, method, path, query, body }: ApiRequest): Promise<Sent> {
    errors.length = 0;
    const ids: Record<string, string> = {
      ...{ mine: mine.apiKey.id, theirs: theirs.apiKey.id, revoked: revoked.apiKey.id, cursor },
    };
    const url = `${path}${query === '' ? '' : `?${query}`}`.replace(/\{(\w+)\}/g, (whole, word) => ids[word] ?? whole);
    const headers = { 'x-api-key': acting[as].key, 'content-type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = await admin.fetch(new Request(`http://localhost/api/v1${url}`, init));
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    const content = contentType.startsWith('application/json') && text !== '' ? JSON.parse(text) : undefined;
    if (typeof content?.nextCursor === 'string') cursor = encodeURIComponent(content.nextCursor);
    // By who asked for it, and not by what the answer says.
    if (response.status === 201) owners.set(content.id, `u-${as}`);
    const sent = { url, status: response.status, contentType, text, body: content, errors: [...errors] };
    await mend(content);
    return sent;
  }

  /** Keys that ended are replaced, and those that act are never ended, so that later cases meet what the first ones met. */
  async function mend(content: { id?: string; status?: string } | undefined): Promise<void> {
    if (content?.status !== 'Revoked') return;
    if (content.id === mine.apiKey.id) mine = await create('alice', `Mine ${round++}`);
    if (content.id !== undefined && actingIds.has(content.id))
      throw new Error('An acting key was revoked: no case names it.');
  }

  async function changedKeyOfBob(): Promise<ApiKey | undefined> {
    const { apiKey } = theirs;
    const now = await apiKeys.get(root, apiKey.id);
    if (JSON.stringify(now) === JSON.stringify(apiKey)) return undefined;
    theirs = now.status === 'Active' ? { ...theirs, apiKey: now } : await create('bob', `Theirs ${round++}`);
    return now;
  }

  const close = async () => {
    await admin.close({ graceMs: 0 });
    await apiKeys.close();
  };
  return { reader: { send, changedKeyOfBob, ownerOf: (id: string) => owners.get(id) }, close };
}
