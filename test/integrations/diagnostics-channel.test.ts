import { AsyncLocalStorage } from 'node:async_hooks';
import { describe, expect, it } from 'vitest';
import { grace, rejection } from '../helpers/until.js';
import { allMessages, onMessage } from './helpers/channels.js';
import { connectTo, listeningConnector } from './opentelemetry/helpers/observed-client.js';

describe('the channels of single calls (G6)', () => {
  it('tell a call from its beginning to its result', async () => {
    const { connector, url } = await listeningConnector({
      faults: [
        { kind: 'limit', waitMs: 500, at: 1 },
        { kind: 'status', status: 503, at: 2 },
      ],
    });
    const messages = allMessages();
    const client = connectTo(url);
    await client.get('/issues?limit=1');
    expect(connector.journal).toHaveLength(4);
    expect(messages.map(({ name }) => name).filter((name) => name !== 'resume')).toEqual([
      'call',
      'attempt', // the login's
      'initialize',
      'wait',
      'pause',
      'attempt',
      'wait',
      'attempt',
      'retry',
      'wait',
      'attempt',
      'result',
    ]);
    const of = (name: string) => messages.filter((entry) => entry.name === name).map(({ message }) => message);
    const call = { method: 'GET', path: '/issues' };
    expect(of('call')).toMatchObject([{ call, baseUrl: url }]);
    expect(of('attempt')).toMatchObject([
      { method: 'POST', path: '/initialize', number: 1, outcome: 'success', status: 200 },
      { call, ...call, number: 1, outcome: 'limit', status: 403 },
      { call, ...call, number: 2, outcome: 'error', status: 503 },
      { call, ...call, number: 3, outcome: 'success', status: 200 },
    ]);
    expect(of('attempt')[0]).not.toHaveProperty('call');
    expect(of('wait')).toMatchObject([
      { call, reason: 'login' },
      { call, reason: 'rate-limit' },
      { call, reason: 'retry' },
    ]);
    expect(of('result')).toMatchObject([{ call, status: 200, attempts: 3 }]);
    expect(of('result')[0]).not.toHaveProperty('error');
    expect(messages.every(({ message }) => message.client === client && message.baseUrl === url)).toBe(true);
  });

  it('name a call by one object in all of its messages, and by another for the next call', async () => {
    const { url } = await listeningConnector();
    const messages = allMessages();
    const client = connectTo(url);
    await Promise.all([client.get('/same'), client.get('/same')]);
    const calls = messages.flatMap(({ message }) => ('call' in message && message.call ? [message.call] : []));
    expect(new Set(calls).size).toBe(2);
  });

  it('tell why a call failed, and how a request that failed ended', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'reset' }] });
    const messages = allMessages();
    const error = await rejection(connectTo(url, { retry: { retries: 0 } }).get('/issues'));
    expect(messages.find(({ name, message }) => name === 'attempt' && 'call' in message)?.message).toMatchObject({
      outcome: 'failed',
      error: { code: 'NETWORK_ERROR' },
    });
    const result = messages.at(-1)!;
    expect(result).toMatchObject({ name: 'result', message: { attempts: 1 } });
    expect((result.message as { error: unknown }).error).toBe(error);
    expect(result.message).not.toHaveProperty('status');
  });

  it('tell of a wait that an abort has ended, and of the abort', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 60_000 }] });
    const messages = allMessages();
    const client = connectTo(url);
    const controller = new AbortController();
    const call = rejection(client.get('/issues', { signal: controller.signal }));
    while (!client.status.paused) await new Promise((resolve) => setTimeout(resolve, 1));
    await grace();
    controller.abort();
    await call;
    expect(messages.slice(-2)).toMatchObject([
      { name: 'wait', message: { reason: 'rate-limit' } },
      { name: 'result', message: { error: { name: 'AbortError' }, status: 403 } },
    ]);
  });

  it('let a tracer run the call in a context of its own, several of them inside each other', async () => {
    const { url } = await listeningConnector({ faults: [{ kind: 'limit', waitMs: 5, at: 1 }] });
    const [one, two] = [new AsyncLocalStorage<string>(), new AsyncLocalStorage<string>()];
    onMessage('call', ({ runIn }) => runIn((run) => one.run('first', run)));
    onMessage('call', ({ runIn }) => runIn((run) => two.run('second', run)));
    const seen: unknown[] = [];
    const schema = {
      safeParse(data: unknown) {
        seen.push([one.getStore(), two.getStore()]);
        return { success: true as const, data };
      },
    };
    await connectTo(url).get('/issues', { schema });
    expect(seen).toEqual([['first', 'second']]);
    expect(one.getStore()).toBeUndefined();
  });

  it('let a tracer add a header, but none that the caller or the session has', async () => {
    const { connector, url } = await listeningConnector();
    onMessage('call', ({ setHeader }) => {
      setHeader('X-Trace', 'added');
      setHeader('X-Mine', 'taken');
      setHeader('X-Session', 'taken');
    });
    await connectTo(url).get('/issues', { headers: { 'x-mine': 'of the caller' } });
    const { headers, status } = connector.journal.at(-1)!;
    expect(headers).toMatchObject({ 'x-trace': 'added', 'x-mine': 'of the caller' });
    expect(headers['x-session']).not.toBe('taken');
    expect(status).toBe(200);
  });

  it('say nothing once nobody subscribes any more (control)', async () => {
    const { url } = await listeningConnector();
    const client = connectTo(url);
    let heard = 0;
    const stop = onMessage('result', () => heard++);
    await client.get('/issues');
    stop();
    await client.get('/issues');
    expect(heard).toBe(1);
  });
});
