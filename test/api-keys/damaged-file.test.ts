// A disk that loses a page of a SQLite file: whatever page it is, nobody gets in who should not, and nothing is answered
// that is not so.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type ApiKeys, openApiKeys } from 'concordat/api-keys';
import { expect, it, onTestFinished } from 'vitest';
import { ada, root } from './helpers/people.js';

const pageBytes = 4096;
const options = { edition: 'Professional' };

/** The same questions to every file; what is thrown is an answer, too. */
async function ask(database: string, keys: Readonly<Record<string, string>>): Promise<Record<string, unknown>> {
  const opened = await openApiKeys({ ...options, database }).catch((error: Error) => error);
  if (opened instanceof Error) return { opening: opened };
  const questions: Record<string, (apiKeys: ApiKeys) => Promise<unknown>> = {
    active: (apiKeys) => apiKeys.authenticate({ 'x-api-key': keys.active as string }),
    revoked: (apiKeys) => apiKeys.authenticate({ 'x-api-key': keys.revoked as string }),
    list: async (apiKeys) =>
      (await apiKeys.list(root, { scope: 'all', limit: 200, sort: 'name' })).items.map(({ name }) => name),
    search: async (apiKeys) =>
      (await apiKeys.list(root, { scope: 'all', search: 'key 17' })).items.map(({ name }) => name),
    audits: async (apiKeys) => (await apiKeys.audits(root, { limit: 200 })).items.map(({ id }) => id),
  };
  const answers: Record<string, unknown> = {};
  for (const [name, question] of Object.entries(questions)) {
    answers[name] = await question(opened).catch((error: Error) => error);
  }
  await opened.close().catch(() => {});
  return answers;
}

it.each([
  ['of zeros', 0],
  ['of ones', 0xff],
])(
  'with a page %s, every answer is the right one or an error that names the file',
  { timeout: 300_000 },
  async (_, byte) => {
    const folder = mkdtempSync(path.join(tmpdir(), 'concordat-damaged-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const database = path.join(folder, 'keys.db');
    const apiKeys = await openApiKeys({ ...options, database });
    const create = (name: string) =>
      apiKeys.create(ada, { name, description: 'x'.repeat(400), expiresOn: apiKeys.maxExpiresOn() });
    for (let index = 0; index < 30; index++) await create(`Key ${index}`);
    const [active, revoked] = [await create('Active'), await create('Revoked')];
    await apiKeys.revoke(ada, revoked.apiKey.id);
    await apiKeys.close();
    const keys = { active: active.key, revoked: revoked.key };
    const right = await ask(database, keys);
    expect(right).toMatchObject({ active: { userId: ada.userId }, revoked: undefined });
    expect(right.list).toHaveLength(32);

    const whole = readFileSync(database);
    const pages = whole.length / pageBytes;
    expect(pages).toBeGreaterThan(15);
    let errors = 0;
    for (let page = 0; page < pages; page++) {
      const file = path.join(folder, `page-${page}.db`);
      const damaged = Buffer.from(whole);
      damaged.fill(byte, page * pageBytes, (page + 1) * pageBytes);
      writeFileSync(file, damaged);
      for (const [question, answer] of Object.entries(await ask(file, keys))) {
        if (!(answer instanceof Error)) expect([page, question, answer]).toEqual([page, question, right[question]]);
        else expect([page, question, answer.message]).toEqual([page, question, expect.stringContaining(`${file}: `)]);
        if (answer instanceof Error) errors += 1;
      }
    }
    expect(errors).toBeGreaterThan(pages / 2);
  },
);
