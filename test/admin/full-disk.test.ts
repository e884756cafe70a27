import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { limitDatabases } from '../api-keys/helpers/driver.js';
import { inDays, password } from './helpers/admin-host.js';
import { startAdministration } from './ui/helpers/administration.js';
import { textOf } from './ui/helpers/html.js';

it('on a full disk keys still authenticate, and no change is reported as done that was not (K18)', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'concordat-full-disk-'));
  const database = path.join(folder, 'keys.db');
  await limitDatabases(70);
  const host = await startAdministration({ keys: { database, keptUses: 0 } });
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const create = (name: string) =>
    host.as('alice', 'POST', '/api-keys', { name, description: 'x'.repeat(450), expiresOn: inDays(30) });

  const made: { id: string; key: string }[] = [];
  let refused = await create('Key 0');
  for (; refused.status === 201; refused = await create(`Key ${made.length}`)) made.push(refused.body);
  expect(made.length).toBeGreaterThan(5);
  const errorMessage = 'The disk of the database is full: nothing can be changed.';
  expect([refused.status, refused.body]).toMatchObject([503, { errorMessage }]);
  expect(host.errors[0]).toMatchObject({ cause: new Error(`${database}: database or disk is full`) });

  // What needs no room is done as ever; what does fails, and then nothing has changed.
  const left = new Set(made.map(({ id }) => id));
  const statuses = new Set<number>();
  for (const { id, key } of made) {
    const { status } = await host.as('alice', 'POST', `/api-keys/${id}/revoke`);
    statuses.add(status);
    if (status === 200) left.delete(id);
    else expect(status).toBe(503);
    expect((await host.as(key, 'GET', '/me')).status).toBe(left.has(id) ? 200 : 401);
  }
  expect(statuses).toContain(503);
  const active = await host.as('alice', 'GET', '/api-keys?status=Active&limit=200');
  expect(new Set(active.body.items.map(({ id }: { id: string }) => id))).toEqual(left);

  const visitor = await host.visitor();
  await visitor.signIn('alice', password);
  await visitor.open('/api-keys/new');
  const page = await visitor.submit('/api-keys/new', {
    name: 'From a page',
    description: 'x'.repeat(450),
    expiry: '30',
  });
  expect([page.status, textOf(page.html).includes(errorMessage)]).toEqual([503, true]);
  expect(page.html).not.toContain(folder);
});
