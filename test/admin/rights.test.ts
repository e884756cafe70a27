import type { AdminSection } from 'concordat/admin';
import type { DirectoryUser } from 'concordat/api-keys';
import { html } from 'hono/html';
import { describe, expect, it } from 'vitest';
import { mayControl } from '../../examples/service/syncs/requests.js';
import { connectMcp } from './helpers/mcp.js';
import { startAdministration } from './ui/helpers/administration.js';
import { textOf } from './ui/helpers/html.js';

type Holder = Pick<DirectoryUser, 'superAdmin' | 'roles' | 'permissions'>;

/** Says whether the example service would let this user start a sync. */
const section: AdminSection = {
  name: 'syncs',
  title: 'Syncs',
  fetch: (_, visit) =>
    visit.page({
      title: 'Syncs',
      content: html`<h1>Syncs</h1><p>${mayControl(visit) ? 'May start' : 'May watch'}</p>`,
    }),
};

/** What a user may do, as every interface says or shows it. */
async function rightsSeenBy(holder: Holder, { withDirectory }: { withDirectory: boolean }) {
  const host = await startAdministration({
    admin: { sections: [section] },
    ...(!withDirectory && { keys: { users: undefined } }),
  });
  Object.assign(host.users.get('u-alice')!, holder);
  await host.key('u-bob', "Bob's");
  const { key } = await host.key('u-alice', "Alice's");
  const visitor = await host.visitor('alice');
  const list = await visitor.open('/api-keys');
  const users = await visitor.open('/users');
  const { client } = await connectMcp(host, key);
  const tool = await client.callTool({ name: 'list_api_keys', arguments: { scope: 'all' } });
  const alice = host.users.get('u-alice')!;
  return {
    meByBasic: (await host.as('alice', 'GET', '/me')).body.rights.manageAllApiKeys,
    meByKey: (await host.as(key, 'GET', '/me')).body.rights.manageAllApiKeys,
    allByBasic: (await host.as('alice', 'GET', '/api-keys?scope=all')).status,
    allByKey: (await host.as(key, 'GET', '/api-keys?scope=all')).status,
    allByMcp: tool.isError !== true,
    switchOnPage: textOf(list.html).includes('All API keys'),
    usersInMenu: list.html.includes('href="/users"'),
    usersPage: users.status,
    shownAs: users.status === 200 ? /Super Admin|Own API keys/.exec(textOf(users.html))?.[0] : undefined,
    startsSyncs: textOf((await visitor.open('/syncs')).html).includes('May start'),
    inCode: withDirectory
      ? await host.apiKeys.mayManageAll({ userId: 'u-alice', username: 'alice' })
      : await host.apiKeys.mayManageAll({ ...alice }),
  };
}

const all = {
  meByBasic: true,
  meByKey: true,
  allByBasic: 200,
  allByKey: 200,
  allByMcp: true,
  switchOnPage: true,
  inCode: true,
};
const superAdmin = { ...all, usersInMenu: true, usersPage: 200, shownAs: 'Super Admin', startsSyncs: true };
const manager = { ...all, usersInMenu: false, usersPage: 404, shownAs: undefined, startsSyncs: false };
const regular = {
  ...manager,
  meByBasic: false,
  meByKey: false,
  allByBasic: 403,
  allByKey: 403,
  allByMcp: false,
  switchOnPage: false,
  inCode: false,
};

describe.each([
  ['the directory given to both', { withDirectory: true }],
  ['the directory given to the administration only', { withDirectory: false }],
])('one user has the same rights at every interface (specification 5.3, K7), with %s', (_, options) => {
  it.each<[string, Holder, object]>([
    ['superAdmin: true', { superAdmin: true }, superAdmin],
    ["roles: ['Super Admin']", { roles: ['Editor', 'Super Admin'] }, superAdmin],
    ["superAdmin: false and roles: ['Super Admin']", { superAdmin: false, roles: ['Super Admin'] }, superAdmin],
    ['User Management – Write', { permissions: ['User Management – Write'] }, manager],
    ['User Management - Write, with a hyphen', { permissions: ['user management - write'] }, manager],
    ['another role and permission', { roles: ['Admin'], permissions: ['User Management – Read'] }, regular],
    ['nothing', {}, regular],
  ])('%s', async (_, holder, expected) => {
    expect(await rightsSeenBy(holder, options)).toEqual(expected);
  });
});
