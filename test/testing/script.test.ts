import { AccountingError, simulateConnector } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { simulateInProcess, simulateOnPort } from './helpers/connect.js';

function tableOf(connector: { assertAllConsumed(): void }): string {
  try {
    connector.assertAllConsumed();
  } catch (error) {
    expect(error).toBeInstanceOf(AccountingError);
    return (error as Error).message;
  }
  return '';
}

describe('a script', () => {
  it('answers each request with the first unused step that is for it', async () => {
    const { clock, connector, client } = simulateInProcess({ routes: { 'GET /issues/:id': { id: 7 } } });
    connector.script([
      { on: 'GET /issues/:id', reply: { kind: 'limit', waitMs: 3_600_000 } },
      { on: 'GET /issues/:id', reply: { kind: 'expired' } },
      { on: 'login' },
      { on: 'login' },
      { on: 'GET /issues/:id' },
      { on: 'POST /issues', reply: () => Response.json({ id: 8 }, { status: 201 }) },
    ]);
    expect(await clock.runUntil(client.get('/issues/7'))).toEqual({ id: 7 });
    expect(await client.post('/issues', { json: {} })).toEqual({ id: 8 });
    expect(clock.monotonic()).toBe(3_600_000);
    connector.assertAllConsumed();
    expect(connector.journal.map(({ fault, status }) => fault ?? status)).toEqual([
      200,
      'limit',
      'expired',
      200,
      200,
      'answer',
    ]);
  });

  it('that did not come true fails, with a table of what is missing', async () => {
    const { connector, client } = simulateInProcess();
    connector.script([
      { on: 'GET /issues', times: 3 },
      { on: 'DELETE /issues/:id', reply: { kind: 'reset' } },
    ]);
    await client.get('/issues');
    expect(tableOf(connector)).toBe(`What was planned and what happened differ:

  planned             reply   times  happened
  GET /issues         normal  3      1         2 did not happen
  DELETE /issues/:id  reset   1      0         never happened
`);
    await client.get('/issues');
    await client.get('/issues');
    expect(tableOf(connector)).toMatch(/GET \/issues\s+normal\s+3\s+3$/m);
  });

  it('refuses what was not planned, and says so in the table', async () => {
    const { connector, client } = simulateInProcess();
    connector.script([{ on: 'GET /issues' }]);
    await client.get('/issues');
    connector.assertAllConsumed();
    await expect(client.get('/issues')).rejects.toMatchObject({ status: 501, code: 'NOT_PLANNED' });
    await expect(client.get('/users')).rejects.toMatchObject({ code: 'NOT_PLANNED' });
    expect(connector.journal.at(-1)?.refused).toBe('not-planned');
    const table = tableOf(connector);
    expect(table).toMatch(/GET \/issues\s+0\s+1\s+not planned \(request 3\)/);
    expect(table).toMatch(/GET \/users\s+0\s+1\s+not planned \(request 4\)/);
  });

  it('plans logins only where it speaks of them', async () => {
    const silent = simulateInProcess();
    silent.connector.script([{ on: 'GET /issues' }]);
    await silent.client.get('/issues');
    silent.connector.assertAllConsumed();

    const speaking = simulateInProcess();
    speaking.connector.script([{ on: 'login', reply: { kind: 'expired' } }, { on: 'GET /issues' }]);
    await expect(speaking.client.get('/issues')).rejects.toMatchObject({ name: 'InitializeError', status: 401 });
    expect(tableOf(speaking.connector)).toMatch(/GET \/issues\s+normal\s+1\s+0\s+never happened/);
  });

  it('gives a function the parameters of its own route', async () => {
    const connector = simulateConnector({ session: false });
    connector.script([
      { on: 'GET /issues/:id', reply: (_request, { params }) => params },
      { reply: (_r, { params }) => params },
    ]);
    expect(await (await connector.fetch('http://c.test/issues/a%20b')).json()).toEqual({ id: 'a b' });
    expect(await (await connector.fetch('http://c.test/users')).json()).toEqual({});
  });

  it('can go on', async () => {
    const connector = simulateConnector({ session: false });
    connector.script([{ on: '/a' }]);
    await connector.fetch('http://c.test/a');
    connector.script([{ on: '/b' }]);
    expect((await connector.fetch('http://c.test/b')).status).toBe(200);
    connector.assertAllConsumed();
  });

  it('a function that throws an error of the contract is answered as in a connector', async () => {
    const { NotFoundError, RateLimitError } = await import('concordat');
    const connector = simulateConnector({ session: false });
    connector.script([
      {
        reply: () => {
          throw new NotFoundError('No issue 7', { code: 'ISSUE_NOT_FOUND' });
        },
      },
      {
        reply: () => {
          throw new RateLimitError('Slowly.', { retryAfterMs: 1500 });
        },
      },
    ]);
    const first = await connector.fetch('http://c.test/issues/7');
    expect([first.status, await first.json()]).toEqual([
      404,
      { errors: { code: 'ISSUE_NOT_FOUND', message: 'No issue 7' } },
    ]);
    const second = await connector.fetch('http://c.test/issues/7');
    expect([second.status, second.headers.get('retry-after')]).toEqual([403, '2']);
  });
});

describe('rules of `faults` are accounted for as well', () => {
  it('one that never happened is reported; one that did is not (control)', async () => {
    const connector = simulateConnector({
      session: false,
      faults: [
        { kind: 'reset', on: 'GET /b' },
        { kind: 'status', status: 500, on: 'GET /a', at: [1, 4] },
      ],
    });
    await connector.fetch('http://c.test/a');
    expect(tableOf(connector)).toMatch(/GET \/b\s+reset\s+any\s+0\s+never happened/);
    expect(tableOf(connector)).toMatch(/GET \/a\s+status\s+2\s+1\s+1 did not happen/);
    for (let call = 0; call < 3; call++) await connector.fetch('http://c.test/a');
    await connector.fetch('http://c.test/b').catch(() => {});
    connector.assertAllConsumed();
  });

  it('one that a step displaced has not happened, although the request counts', async () => {
    const connector = simulateConnector({
      session: false,
      faults: [
        { kind: 'status', status: 500, at: 1 },
        { kind: 'status', status: 503, at: 2 },
      ],
    });
    connector.script([{ reply: () => 'mine' }, { reply: 'normal' }]);
    const statuses = [await connector.fetch('http://c.test/a'), await connector.fetch('http://c.test/a')];
    expect(statuses.map(({ status }) => status)).toEqual([200, 503]);
    expect(tableOf(connector)).toMatch(/any request\s+status\s+1\s+0\s+never happened/);
  });

  it('without a plan there is nothing to account for', async () => {
    const connector = simulateConnector({ session: false });
    await connector.fetch('http://c.test/a');
    connector.assertAllConsumed();
  });
});

describe('the journal', () => {
  it('keeps the latest `maxJournalEntries`, and counts on', async () => {
    const connector = simulateConnector({ session: false, maxJournalEntries: 2 });
    for (const path of ['a', 'b', 'c']) await connector.fetch(`http://c.test/${path}`);
    expect(connector.journal).toMatchObject([
      { number: 2, path: '/b' },
      { number: 3, path: '/c' },
    ]);
  });

  it('has every request, as it arrived', async () => {
    const seen: unknown[] = [];
    const { clock, connector, client } = simulateInProcess({ onEntry: (entry) => seen.push(entry) });
    await clock.advance(1500);
    await client.post('/issues', { json: { title: 'Lamp' }, query: { notify: 'no' }, headers: { 'X-Trace': 't-1' } });
    expect(connector.journal).toHaveLength(2);
    expect(connector.journal[1]).toMatchObject({
      number: 2,
      kind: 'request',
      at: new Date(clock.now()),
      elapsedMs: 1500,
      method: 'POST',
      path: '/issues',
      query: { notify: 'no' },
      headers: { 'x-trace': 't-1', 'x-session': 'simulated-session-1' },
      body: '{"title":"Lamp"}',
      json: { title: 'Lamp' },
      session: 1,
      status: 200,
      refused: undefined,
      fault: undefined,
    });
    expect(seen).toEqual([...connector.journal]);
  });

  it('has the path as it was sent, over a port, too', async () => {
    const { connector, url } = await simulateOnPort({ session: false });
    for (const path of ['//issues/7', '//issues', '/issues//7?a=//b', '//']) {
      await fetch(url + path);
      await connector.fetch(`http://c.test${path}`);
    }
    const paths = ['//issues/7', '//issues', '/issues//7', '//'];
    expect(connector.journal.map(({ path }) => path)).toEqual(paths.flatMap((path) => [path, path]));
  });

  it('has a wait only of a response that asks for one', async () => {
    const faults = [
      { kind: 'limit', at: 1 },
      { kind: 'limit', format: 'missing', at: 2 },
    ] as const;
    const connector = simulateConnector({ session: false, faults });
    for (let call = 0; call < 2; call++) await connector.fetch('http://c.test/a');
    expect(connector.journal.map(({ waitMs }) => waitMs)).toEqual([1000, undefined]);
  });

  it('has requests that get no answer, without a status', async () => {
    const connector = simulateConnector({ session: false, faults: [{ kind: 'reset' }] });
    await connector.fetch('http://c.test/a').catch(() => {});
    expect(connector.journal).toMatchObject([{ status: undefined, fault: 'reset' }]);
  });
});
