import { randomBytes, scryptSync } from 'node:crypto';
import { createAdmin } from 'concordat/admin';
import { type ApiKeys, type DirectoryUser, openApiKeys } from 'concordat/api-keys';

export interface CredentialsReader {
  /** The values of keys by what became of them, and right and wrong Basic credentials. */
  readonly values: Readonly<Record<string, string>>;
  readonly authenticate: ApiKeys['authenticate'];
  readonly verify: ApiKeys['verify'];
  /** What `GET /me` of the Admin API answers, and as whom. */
  me(headers: Headers): Promise<{ status: number; userId?: string | undefined; text: string }>;
}

/** As `hashPassword` makes it, at the least cost. */
function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
  return `$scrypt$ln=6,r=8,p=1$${unpadded(salt)}$${unpadded(scryptSync(password, salt, 32, { N: 64, r: 8, p: 1 }))}`;
}

const start = Date.UTC(2026, 10, 21, 9);

/** Keys of every fate on a database in memory, behind an administration. */
export async function openCredentials() {
  let nowMs = start;
  const clock = { now: () => nowMs };
  const users = new Map<string, DirectoryUser>();
  for (const username of ['ada', 'bob', 'dan']) {
    users.set(`u-${username}`, { id: `u-${username}`, username, passwordHash: cheapHash('the password') });
  }
  // Whoever else is asked for has a cheap password, too: checking one of nobody's takes as long as a real one.
  const stranger = { id: 'u-stranger', username: 'stranger', passwordHash: cheapHash(randomBytes(16).toString('hex')) };
  const directory = {
    findById: async (id: string) => users.get(id),
    findByUsername: async (name: string) => [...users.values()].find(({ username }) => username === name) ?? stranger,
  };
  const apiKeys = await openApiKeys({ database: ':memory:', edition: 'Professional', users: directory, clock });
  const make = async (username: string, name: string, expiresOn: number) => {
    const actor = { userId: `u-${username}`, username };
    const created = await apiKeys.create(actor, { name, expiresOn: new Date(expiresOn) });
    return { ...created, actor };
  };
  const good = await make('ada', 'good', start + 86_400_000);
  const other = await make('bob', 'other', start + 86_400_000);
  const disabled = await make('dan', 'disabled', start + 86_400_000);
  const expired = await make('ada', 'expired', start + 1000);
  const revoked = await make('ada', 'revoked', start + 86_400_000);
  await apiKeys.revoke(revoked.actor, revoked.apiKey.id);
  users.set('u-dan', { ...(users.get('u-dan') as DirectoryUser), enabled: false });
  nowMs += 2000;

  let source = 0;
  const admin = createAdmin({
    apiKeys,
    users: directory,
    edition: 'Professional',
    clock,
    clientAddress: () => `source ${source++}`, // so that failures slow nobody down
  });
  const base64 = (words: string) => Buffer.from(words).toString('base64');
  const reader: CredentialsReader = {
    values: {
      ...{ good: good.key, other: other.key, disabled: disabled.key, expired: expired.key, revoked: revoked.key },
      // The letters of a real key in another order: its form is right, and nothing else.
      unknown: `ck_${[...good.key.slice(3, 15)].reverse().join('')}${good.key.slice(15)}`,
      ...{ basic: base64('ada:the password'), wrong: base64('ada:another password') },
    },
    authenticate: apiKeys.authenticate,
    verify: apiKeys.verify,
    async me(headers) {
      const response = await admin.fetch(new Request('http://localhost/api/v1/me', { headers }));
      const text = await response.text();
      return { status: response.status, text, userId: response.ok ? JSON.parse(text).user.id : undefined };
    },
  };
  const close = async () => {
    await admin.close({ graceMs: 0 });
    await apiKeys.close();
  };
  return { reader, close };
}
