import type { ConnectorClient } from '../../src/client/index.js';
import type { Mutant } from './transports.js';

type Fetch = typeof globalThis.fetch;

/** A way to break the contract, and the rule that says so. */
export interface Misbehavior extends Mutant {
  readonly does: string;
  readonly breaks: string;
  /** Where that shows. @default a run in which most rules have something to say */
  readonly where?: 'many windows' | 'announced';
}

const pathOf = (input: Parameters<Fetch>[0]) => new URL(input instanceof Request ? input.url : input).pathname;

/** The same answer with another status or other headers. */
function changed(response: Response, status: number, change: (headers: Headers) => void): Response {
  const headers = new Headers(response.headers);
  change(headers);
  return new Response(response.body, { status, headers });
}

const withHeaders = (init: RequestInit | undefined, headers: Headers) => ({ ...init, headers });

/** Passes everything on, with a request of the client that is its own in one thing. */
const wrapRequest =
  (request: (client: ConnectorClient, given: Parameters<ConnectorClient['request']>[0]) => Promise<unknown>) =>
  (client: ConnectorClient): ConnectorClient =>
    new Proxy(client, {
      get(target, name) {
        if (name === 'request') return (given: Parameters<ConnectorClient['request']>[0]) => request(target, given);
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });

const callOf = ({ headers }: Parameters<ConnectorClient['request']>[0]) =>
  Number((headers as Record<string, string>)['x-call']);

export const misbehaviors: readonly Misbehavior[] = [
  {
    does: 'drops the wait and takes a limit for a failure',
    breaks: 'G1',
    fetch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      return response.headers.has('x-wait') ? changed(response, 500, (headers) => headers.delete('x-wait')) : response;
    },
  },
  {
    does: 'sleeps a third of the wait',
    breaks: 'G1',
    fetch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      const waitMs = Number(response.headers.get('x-wait') ?? 0);
      if (waitMs === 0) return response;
      return changed(response, response.status, (headers) => headers.set('x-wait', String(Math.floor(waitMs / 3))));
    },
  },
  {
    does: 'goes on with the first session for ever',
    breaks: 'S4',
    fetch: (fetch) => {
      let first: [string, string][] | undefined;
      return (input, init) => {
        const headers = new Headers(init?.headers);
        const session = [...headers].filter(([name]) => name.startsWith('x-session'));
        if (session.length > 0) first ??= session;
        for (const [name] of session) headers.delete(name);
        for (const [name, value] of session.length > 0 ? (first ?? []) : []) headers.set(name, value);
        return fetch(input, withHeaders(init, headers));
      };
    },
  },
  {
    does: 'keeps headers of the old session beside the new one',
    breaks: 'S1',
    fetch: (fetch) => {
      const kept = new Map<string, string>();
      return (input, init) => {
        const headers = new Headers(init?.headers);
        for (const [name, value] of headers) if (name.startsWith('x-session-')) kept.set(name, value);
        if (headers.has('x-session')) for (const [name, value] of kept) headers.set(name, value);
        return fetch(input, withHeaders(init, headers));
      };
    },
  },
  {
    does: 'sends a POST twice',
    breaks: 'G7',
    fetch: (fetch) => async (input, init) => {
      if (init?.method === 'POST' && pathOf(input) !== '/initialize') await (await fetch(input, init)).text();
      return fetch(input, init);
    },
  },
  {
    does: 'logs in twice at once',
    breaks: 'S3',
    fetch: (fetch) => async (input, init) => {
      if (pathOf(input) !== '/initialize') return fetch(input, init);
      const [other, response] = await Promise.all([fetch(input, init), fetch(input, init)]);
      await other.text();
      return response;
    },
  },
  {
    does: 'takes a dead session for a denial',
    breaks: 'E2',
    fetch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      return response.status === 401 ? changed(response, 403, () => {}) : response;
    },
  },
  {
    does: 'forgets to read answers that it does not need',
    breaks: 'G8',
    fetch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      return response.ok ? response : new Response('{}', { status: response.status, headers: response.headers });
    },
  },
  {
    does: 'swallows a call',
    breaks: 'G9',
    client: wrapRequest((client, given) => (callOf(given) === 2 ? new Promise(() => {}) : client.request(given))),
  },
  {
    does: 'mixes up answers',
    breaks: 'E2',
    client: (client) => {
      let earlier: unknown;
      return wrapRequest(async (target, given) => {
        const answer = await target.request(given);
        const data = earlier ?? answer.data;
        earlier = answer.data;
        return { ...answer, data };
      })(client);
    },
  },
  {
    does: 'invents a success where a call failed',
    breaks: 'E2',
    client: wrapRequest((client, given) => client.request(given).catch(() => ({ data: undefined }))),
  },
  {
    does: 'does not listen to signals',
    breaks: 'G4',
    client: wrapRequest((client, { signal: _, ...given }) => client.request(given)),
  },
  sendsAfterClose(),
  {
    does: 'learns nothing of the quota',
    breaks: 'G3',
    where: 'many windows',
    options: { pacing: 'off' },
  },
  {
    does: 'does not read announcements',
    breaks: 'W8',
    where: 'announced',
    fetch: (fetch) => async (input, init) => {
      const response = await fetch(input, init);
      return changed(response, response.status, (headers) => {
        headers.delete('ratelimit');
        headers.delete('ratelimit-policy');
      });
    },
  },
];

function sendsAfterClose(): Misbehavior {
  let again = () => {};
  return {
    does: 'sends once more after close()',
    breaks: 'G4',
    client: (client) =>
      new Proxy(client, {
        get(target, name) {
          const value: unknown = Reflect.get(target, name, target);
          if (name !== 'close') return typeof value === 'function' ? value.bind(target) : value;
          return () => target.close().then(() => afterTurns(20, () => again()));
        },
      }),
    fetch: (fetch) => (input, init) => {
      again = () => void fetch(input, { ...init, signal: null }).catch(() => {});
      return fetch(input, init);
    },
  };
}

/** After some turns of the event loop, however long they take; not awaited. */
function afterTurns(turns: number, act: () => void): void {
  let left = turns;
  const timer = setInterval(() => {
    if (left-- > 0) return;
    clearInterval(timer);
    act();
  }, 1);
}
