import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createConnectorClient } from 'concordat/client';
import { expect, it, onTestFinished } from 'vitest';
import { scriptedConnector } from '../helpers/scripted-connector.js';

const context = new AsyncLocalStorage<string>();

/** In which context undici says that it makes the request for each path: there its instrumentations look for the parent span. */
function watchRequests(): Map<string, string | undefined> {
  const found = new Map<string, string | undefined>();
  const listener = (message: unknown) => {
    const { path } = (message as { request: { path: string } }).request;
    if (path.startsWith('/items/')) found.set(path, context.getStore());
  };
  subscribe('undici:request:create', listener);
  onTestFinished(() => void unsubscribe('undici:request:create', listener));
  return found;
}

it.each([1, 8, 64])(
  'every request is made in the async context of its call, with `concurrency` %d',
  async (concurrency) => {
    const { url } = await scriptedConnector({ handle: ({ reply }) => reply(200, []) });
    const client = createConnectorClient({ baseUrl: url, concurrency, initialize: { parameters: {} } });
    onTestFinished(() => client.close());
    const found = watchRequests();
    const paths = Array.from({ length: 200 }, (_, index) => `/items/${index}`);
    await Promise.all(paths.map((path) => context.run(path, () => client.get(path))));
    expect([...found.keys()].sort()).toEqual([...paths].sort());
    expect([...found].filter(([path, store]) => store !== path)).toEqual([]);
  },
);
