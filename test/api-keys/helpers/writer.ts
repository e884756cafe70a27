// Runs in a process of its own: works on a database as told, and reports every answer as a line of JSON, written
// synchronously, so that what was answered before a kill -9 is known.
import { writeSync } from 'node:fs';
import { isApiKeyError, openApiKeys } from 'concordat/api-keys';

const [url, job, label] = process.argv.slice(2) as [string, string, string];
const actor = { userId: `u-${label}`, username: label, superAdmin: true };
const report = (line: object) => writeSync(1, `${JSON.stringify(line)}\n`);
const refused = (error: unknown) => {
  if (!isApiKeyError(error)) throw error;
  return error.kind;
};

const apiKeys = await openApiKeys({ database: url, edition: 'Professional' });
const expiresOn = apiKeys.maxExpiresOn();

/** Creates, edits and revokes without end; killed from outside. */
async function writeForever(lane: number): Promise<void> {
  for (let index = 0; ; index++) {
    const name = `${label} ${lane} ${index}`;
    const { apiKey } = await apiKeys.create(actor, { name, expiresOn });
    report({ id: apiKey.id, revisions: ['Create'], name, status: 'Active' });
    if (index % 3 === 0) continue;
    await apiKeys.update(actor, apiKey.id, { name: `${name} edited` });
    report({ id: apiKey.id, revisions: ['Create', 'Update'], name: `${name} edited`, status: 'Active' });
    if (index % 3 === 1) continue;
    await apiKeys.revoke(actor, apiKey.id);
    report({ id: apiKey.id, revisions: ['Create', 'Update', 'Revoke'], name: `${name} edited`, status: 'Revoked' });
  }
}

const jobs: Record<string, () => Promise<void>> = {
  async forever() {
    await Promise.all([0, 1, 2].map(writeForever));
  },
  /** Tries to be the one who makes each of the same names. */
  async names() {
    report({ ready: true });
    for (let index = 0; index < 40; index++) {
      const outcome = await apiKeys.create(actor, { name: `Name ${index}`, expiresOn }).then(() => 'created', refused);
      report({ name: `Name ${index}`, outcome });
    }
  },
  /** Edits every key there is, or revokes it. */
  async edit() {
    for (const { id } of (await apiKeys.list(actor, { scope: 'all', limit: 200 })).items) {
      const outcome = await apiKeys.update(actor, id, { name: `${label} ${id}` }).then(() => 'done', refused);
      report({ id, outcome });
    }
  },
  async revoke() {
    for (const { id } of (await apiKeys.list(actor, { scope: 'all', limit: 200 })).items) {
      report({ id, outcome: await apiKeys.revoke(actor, id).then(() => 'done', refused) });
    }
  },
};

await jobs[job]?.();
await apiKeys.close();
