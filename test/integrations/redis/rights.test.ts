// The Redis user with the rights that docs/past-one-machine.md names, and no others.
import { readFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { until } from '../../helpers/until.js';
import { listeningConnector } from '../opentelemetry/helpers/observed-client.js';
import { member } from './helpers/member.js';
import { redisServer, serverProgram } from './helpers/redis-server.js';

const page = readFileSync(new URL('../../../docs/past-one-machine.md', import.meta.url), 'utf8');
const [, rights = ''] = /needs these commands: `([^`]+)`/.exec(page) ?? [];

it.runIf(serverProgram)('are enough for a session, a pause and a quota of all processes (G11)', async () => {
  const server = await redisServer();
  const administrator = server.connect();
  await administrator.call('ACL', 'SETUSER', 'concordat', 'on', '>secret', ...rights.split(' '));
  const { url, connector } = await listeningConnector({ rateLimit: { limit: 5, windowMs: 300 } });
  const through = { ...server, connect: () => server.connect(server.url.replace('//', '//concordat:secret@')) };
  const members = [member(through, url, {}), member(through, url, {})];
  await Promise.all(members.flatMap(({ client }) => [1, 2, 3, 4, 5, 6].map((id) => client.get(`/issues/${id}`))));
  await setTimeout(10); // what is not awaited, such as the news of a pause
  expect(members.flatMap(({ errors }) => errors)).toEqual([]);
  expect(connector.journal.filter(({ kind }) => kind === 'login')).toHaveLength(1);
  const denied = (await administrator.call('ACL', 'LOG')) as unknown[];
  expect(denied).toEqual([]);
});

const used = rights.split(' ').filter((right) => right.startsWith('+') && !['+unsubscribe', '+info'].includes(right));

it.runIf(serverProgram).each(used)('are all needed: without %s one error says so (G11)', async (right) => {
  const server = await redisServer();
  const others = rights.split(' ').filter((other) => other !== right);
  await server.connect().call('ACL', 'SETUSER', 'concordat', 'on', '>secret', ...others);
  const { url } = await listeningConnector();
  const through = { ...server, connect: () => server.connect(server.url.replace('//', '//concordat:secret@')) };
  const { client, state, errors } = member(through, url);
  await client.get('/issues');
  await until(() => errors.length > 0);
  expect(errors.map(String)).toEqual([
    expect.stringMatching(
      new RegExp(`NOPERM.*(\\${right}\\b|'${right.slice(1)}').*rights in docs/past-one-machine.md`),
    ),
  ]);
  expect(state.shared).toBe(false);
});
