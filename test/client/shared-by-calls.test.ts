// What calls share so that each of them costs less must never be seen by another call.
import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Agent, type Dispatcher } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';

describe('calls that carry the same headers', () => {
  it('a header that a tracer adds to one call is on no other (G6)', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    const trace = (message: unknown) =>
      (message as { setHeader(name: string, value: string): void }).setHeader('x-trace', 'one');
    subscribe('concordat:client:call', trace);
    onTestFinished(() => void unsubscribe('concordat:client:call', trace));
    await client.get('/traced');
    unsubscribe('concordat:client:call', trace);
    await client.get('/plain');
    expect(connector.requests.map(({ headers }) => headers['x-trace'])).toEqual(['one', undefined]);
  });

  it("what the caller's dispatcher does to the headers of one request is seen in no other", async () => {
    const connector = await scriptedConnector();
    const agent = new Agent();
    onTestFinished(() => agent.close());
    let number = 0;
    const dispatcher = agent.compose((dispatch: Dispatcher.Dispatch) => (options, handler) => {
      const headers = options.headers as Record<string, string>;
      headers[`x-number-${++number}`] = 'added';
      return dispatch(options, handler);
    });
    const client = connect(connector, { dispatcher });
    await client.get('/first');
    await client.get('/second');
    const added = connector.requests.map(({ headers }) =>
      Object.keys(headers).filter((name) => /^x-number/.test(name)),
    );
    expect(added).toEqual([['x-number-2'], ['x-number-3']]); // the login was the first
  });

  it("what the caller's fetch does to the headers of one request is seen in no other", async () => {
    const connector = await scriptedConnector();
    let number = 0;
    const client = connect(connector, {
      fetch: (input, init) => {
        (init?.headers as Record<string, string>)[`x-number-${++number}`] = 'added';
        return fetch(input, init);
      },
    });
    await client.get('/first');
    await client.get('/second');
    const added = connector.requests.map(({ headers }) =>
      Object.keys(headers).filter((name) => /^x-number/.test(name)),
    );
    expect(added).toEqual([['x-number-2'], ['x-number-3']]);
  });

  it('a new session replaces the headers of the old one (S4)', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await client.get('/first');
    connector.alive.clear();
    await client.get('/second');
    await client.get('/third');
    const sessions = connector.requests.map(({ session }) => session);
    expect(sessions).toEqual(['session-1', 'session-1', 'session-2', 'session-2']);
  });
});

describe('calls over one socket', () => {
  it("a schema runs in its own call's asynchronous context", async () => {
    const connector = await scriptedConnector();
    const client = connect(connector, { concurrency: 1 });
    const caller = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const schema = {
      safeParse(data: unknown) {
        seen.push(caller.getStore());
        return { success: true as const, data };
      },
    };
    await caller.run('first', () => client.get('/items', { schema }));
    await caller.run('second', () => client.get('/items', { schema }));
    expect(seen).toEqual(['first', 'second']);
  });
});

describe('paths that go out as they are, without a URL parser', () => {
  it.each([
    ['/items/7', '/items/7'],
    ['/items//7?a=b&c=/?', '/items//7?a=b&c=/?'],
    ['/items/a.b..c', '/items/a.b..c'],
    ['/items/7?', '/items/7'],
    ["/items/a b?q='", '/items/a%20b?q=%27'],
    ['/items/ä', '/items/%C3%A4'],
  ])('%s goes out as a URL parser writes it: %s', async (path, expected) => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await client.get(path);
    expect(connector.requests.at(-1)?.path).toBe(expected);
    const url = new URL(path, 'http://h');
    expect(expected).toBe(url.pathname + url.search);
  });
});
