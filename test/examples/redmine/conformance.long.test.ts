import { conformance } from 'concordat/conformance';
import { type RunningServer, serve } from 'concordat/connector';
import { afterAll, describe, expect, it } from 'vitest';
import config from '../../../examples/redmine/concordat.config.js';
import { createRedmineConnector } from '../../../examples/redmine/connector.js';
import { password, RecordedRedmine } from './recorded-redmine.js';

const redmine = await RecordedRedmine.start();
const connector: RunningServer = await serve(createRedmineConnector({ url: redmine.url }), { port: 0 });
afterAll(async () => {
  await connector.close();
  await redmine.close();
});

const login = (word: string) => [
  { key: 'username', value: 'sync', sensitive: false },
  { key: 'password', value: word, sensitive: true },
  { key: 'project', value: 'helpdesk', sensitive: false },
];

const cases = conformance({
  ...config,
  baseUrl: connector.url,
  probes: {
    ...config.probes,
    initialize: { parameters: login(password), wrongParameters: login('not the password') },
    forbidden: '/issues/2',
    expire: {
      action: () => {
        redmine.key = 'c'.repeat(40);
      },
    },
    limit: {
      request: '/users/me',
      times: 30,
      before: () => {
        redmine.requestsPerSecond = 5;
      },
    },
  },
});

describe('the Redmine connector keeps the contract', () => {
  it.each(cases)('$id: $title', ({ run }) => run());

  it('is asked about every kind of error', () => {
    const ids = cases.map(({ id }) => id);
    for (const id of ['session.expired', 'routes.denial', 'routes.unknown-resource', 'validation.payload']) {
      expect(ids).toContain(id);
    }
    expect(ids.filter((id) => id.startsWith('rate-limit.'))).toHaveLength(11);
  });
});
