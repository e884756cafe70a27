// Ways to get 10,000 requests through a quota, fifty at once, as their documentation has it. All are told the unit of the
// wait header and read the wait from it. None is told the quota, except where its name says so: then each response announces it.
// Types of the peers are not used: the project type-checks without what only bench/ installs.
import { createConnectorClient } from 'concordat/client';

/** How long to wait as the header says it, in milliseconds a unit: 1 or 1000. */
export interface Setup {
  readonly url: string;
  readonly fetch: typeof fetch;
  readonly headerUnitMs: number;
  readonly concurrency: number;
}

/** Makes one request and tries until it is through. */
export type Send = (path: string) => Promise<unknown>;

const load = async <Module>(specifier: string): Promise<Module> => (await import(specifier)) as Module;
const sleep = (delayMs: number) => new Promise((resolve) => setTimeout(resolve, delayMs));
const manyRetries = 1_000_000;

class Limited extends Error {
  readonly waitMs: number;
  constructor(waitMs: number) {
    super('limited');
    this.waitMs = waitMs;
  }
}

async function fetchOnce({ url, fetch, headerUnitMs }: Setup, path: string): Promise<unknown> {
  const response = await fetch(url + path);
  const body = await response.json();
  if (response.ok) return body;
  throw new Limited(Number(response.headers.get('retry-after')) * headerUnitMs);
}

function concordat({ url, fetch, headerUnitMs, concurrency }: Setup): Send {
  const client = createConnectorClient({
    baseUrl: url,
    initialize: async () => ({ 'x-session': 'bench' }),
    rateLimit: { format: headerUnitMs === 1 ? 'milliseconds' : 'seconds' },
    concurrency,
    fetch,
  });
  return (path) => client.get(path);
}

const toldName = 'concordat, quota announced';

/** Whether the connector announces its quota to that contender. */
export const isTold = (name: string): boolean => name === toldName;

export const contenders: Readonly<Record<string, (setup: Setup) => Promise<Send> | Send>> = {
  concordat,
  [toldName]: concordat,
  'octokit throttling + retry': async ({ url, fetch, headerUnitMs }) => {
    const { Octokit } = await load<{ Octokit: OctokitClass }>('@octokit/core');
    const { throttling } = await load<{ throttling: unknown }>('@octokit/plugin-throttling');
    const { retry } = await load<{ retry: unknown }>('@octokit/plugin-retry');
    const octokit = new (Octokit.plugin(throttling, retry))({
      baseUrl: url,
      request: { fetch },
      log: { debug() {}, info() {}, warn() {}, error() {} },
      throttle: { retryAfterBaseValue: headerUnitMs, onRateLimit: () => true, onSecondaryRateLimit: () => true },
    });
    return (path) => octokit.request(`GET ${path}`);
  },
  bottleneck: async (setup) => {
    const { default: Bottleneck } = await load<{ default: BottleneckClass }>('bottleneck');
    const limiter = new Bottleneck({ maxConcurrent: setup.concurrency });
    // What a job's "failed" listener returns is how long bottleneck waits before it runs the job again.
    limiter.on('failed', (error) => (error as Limited).waitMs);
    return (path) => limiter.schedule(() => fetchOnce(setup, path));
  },
  'axios-retry': async ({ url, fetch, headerUnitMs }) => {
    const { default: axios } = await load<{ default: Axios }>('axios');
    const { default: axiosRetry } = await load<{ default: AxiosRetry }>('axios-retry');
    const client = axios.create({ baseURL: url, adapter: 'fetch', env: { fetch } });
    axiosRetry(client, {
      retries: manyRetries,
      retryCondition: (error) => error.response?.status === 403,
      retryDelay: (_count, error) => Number(error.response?.headers['retry-after']) * headerUnitMs,
    });
    return async (path) => (await client.get(path)).data;
  },
  'p-retry by hand': async (setup) => {
    const { default: pRetry } = await load<{ default: PRetry }>('p-retry');
    return (path) =>
      pRetry(() => fetchOnce(setup, path), {
        retries: manyRetries,
        minTimeout: 0,
        maxTimeout: 0,
        onFailedAttempt: ({ error }) => sleep((error as Limited).waitMs),
      });
  },
};

interface OctokitClass {
  plugin(...plugins: unknown[]): new (options: object) => { request(route: string): Promise<unknown> };
}
interface BottleneckClass {
  new (
    options: object,
  ): {
    on(event: 'failed', listener: (error: unknown) => number): void;
    schedule(job: () => Promise<unknown>): Promise<unknown>;
  };
}
interface Axios {
  create(options: object): { get(path: string): Promise<{ data: unknown }> };
}
interface LimitFailure {
  response?: { status: number; headers: Record<string, string> };
}
type AxiosRetry = (
  client: object,
  options: {
    retries: number;
    retryCondition(error: LimitFailure): boolean;
    retryDelay(count: number, error: LimitFailure): number;
  },
) => void;
type PRetry = (
  run: () => Promise<unknown>,
  options: {
    retries: number;
    minTimeout: number;
    maxTimeout: number;
    onFailedAttempt(failure: { error: unknown }): unknown;
  },
) => Promise<unknown>;
