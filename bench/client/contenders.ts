// Every client gets the same JSON with the same session header over as many sockets. The types of the peers are not
// used: the project type-checks without what only bench/ installs.
import { Agent as HttpAgent } from 'node:http';
import { createConnectorClient } from 'concordat/client';
import { type Dispatcher, Pool, request } from 'undici';

export type Send = () => Promise<unknown>;

export const path = '/issues/7';
const headers = { accept: 'application/json', 'x-session': 'bench-session-0001' };

const load = async <Module>(specifier: string): Promise<Module> => (await import(specifier)) as Module;

/** What each client does for one request, ready to be called. */
export const contenders: Readonly<Record<string, (url: string, connections: number) => Promise<Send> | Send>> = {
  'concordat client.get': (url, connections) => {
    const client = createConnectorClient({
      baseUrl: url,
      initialize: { parameters: { user: 'ada' } },
      concurrency: connections,
    });
    return () => client.get(path);
  },
  'undici.request + body.json()': (url) => async () => (await request(url + path, { headers })).body.json(),
  'Pool.dispatch, own handler': (url, connections) => {
    const pool = new Pool(url, { connections });
    return () => new Promise((resolve, reject) => dispatchRaw(pool, resolve, reject));
  },
  'Pool.request + body.json()': (url, connections) => {
    const pool = new Pool(url, { connections });
    return async () => (await pool.request({ path, method: 'GET', headers })).body.json();
  },
  fetch: (url) => async () => (await fetch(url + path, { headers })).json(),
  got: async (url, connections) => {
    const { got } = await load<{ got: Got }>('got');
    const agent = { http: keepAliveAgent(connections) };
    const client = got.extend({ headers, agent });
    return () => client(url + path).json();
  },
  axios: async (url, connections) => {
    const { default: axios } = await load<{ default: Axios }>('axios');
    const httpAgent = keepAliveAgent(connections);
    const client = axios.create({ baseURL: url, headers, httpAgent });
    return async () => (await client.get(path)).data;
  },
  ky: async (url) => {
    const { default: ky } = await load<{ default: Ky }>('ky');
    const client = ky.create({ prefixUrl: url, headers });
    return () => client.get(path.slice(1)).json();
  },
  '@octokit/core, throttling + retry': async (url) => {
    const { Octokit } = await load<{ Octokit: OctokitClass }>('@octokit/core');
    const { throttling } = await load<{ throttling: unknown }>('@octokit/plugin-throttling');
    const { retry } = await load<{ retry: unknown }>('@octokit/plugin-retry');
    const onLimit = () => true;
    const octokit = new (Octokit.plugin(throttling, retry))({
      baseUrl: url,
      throttle: { onRateLimit: onLimit, onSecondaryRateLimit: onLimit },
    });
    return async () => (await octokit.request(`GET ${path}`, { headers })).data;
  },
};

/** As many sockets as everybody else, and none of them closed because it is idle for a moment. */
function keepAliveAgent(connections: number): HttpAgent {
  return new HttpAgent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
}

/** As little as can be done with undici: neither time-outs, nor aborts, nor errors told apart. */
function dispatchRaw(pool: Pool, resolve: (data: unknown) => void, reject: (error: Error) => void): void {
  const chunks: Buffer[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart() {},
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
    },
    onResponseEnd: () => resolve(JSON.parse(Buffer.concat(chunks).toString())),
    onResponseError: (_controller, error) => reject(error),
  };
  pool.dispatch({ path, method: 'GET', headers, headersTimeout: 0, bodyTimeout: 0 }, handler);
}

interface Got {
  extend(options: object): (url: string) => { json(): Promise<unknown> };
}
interface Axios {
  create(options: object): { get(path: string): Promise<{ data: unknown }> };
}
interface Ky {
  create(options: object): { get(path: string): { json(): Promise<unknown> } };
}
interface OctokitClass {
  plugin(
    ...plugins: unknown[]
  ): new (
    options: object,
  ) => { request(route: string, options: object): Promise<{ data: unknown }> };
}
