import { type FaultRule, type SimulateConnectorOptions, simulateConnector, virtualClock } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { connect } from './helpers/connect.js';

const file = new Uint8Array(1000);

/** Part of a file, or all of it. */
function download({ headers }: Request): Response {
  const from = Number(/^bytes=(\d+)-$/.exec(headers.get('range') ?? '')?.[1] ?? 0);
  const body = file.subarray(from);
  const common = { etag: '"1"', 'accept-ranges': 'bytes', 'content-length': String(body.length) };
  if (from === 0) return new Response(body, { headers: common });
  return new Response(body, { status: 206, headers: { ...common, 'content-range': `bytes ${from}-999/1000` } });
}

const cases: Record<string, { options: SimulateConnectorOptions; path?: string }> = {
  'random latency': { options: { latency: (random) => 10 + 900 * random() } },
  'a retry': { options: { faults: [{ kind: 'reset', every: 4 }] } },
  'a login’s retry': { options: { faults: [{ kind: 'status', status: 503, on: 'login', at: [1, 2] }] } },
  'a rate limit': { options: { rateLimit: { limit: 5, windowMs: 60_000 } } },
  'the rest of a stream': {
    options: { routes: { 'GET /file': download }, faults: [{ kind: 'truncated', every: 3 }] },
    path: '/file',
  },
};

/** When each request arrived. */
async function arrivals({ options, path }: (typeof cases)[string], seed?: number): Promise<string[]> {
  const clock = virtualClock({ seed });
  const connector = simulateConnector({ clock, seed: 5, ...options });
  const client = connect({ fetch: connector.fetch, clock, rateLimit: { jitterMs: 1000 } });
  const calls = Array.from({ length: 12 }, async (_, id) => {
    if (path === undefined) return void (await client.get(`/issues/${id}`));
    await new Response((await client.stream(path)).body).arrayBuffer();
  });
  await clock.runUntil(Promise.all(calls));
  return connector.journal.map((entry) => `${entry.elapsedMs} ${entry.path} ${entry.status}`);
}

describe('a run on a virtual clock is repeatable', () => {
  it.each(Object.entries(cases))('with %s', async (_name, options) => {
    const first = await arrivals(options);
    expect(await arrivals(options)).toEqual(first);
    expect(await arrivals(options, 1)).toEqual(first);
  });

  it('with all of them at once', async () => {
    const all = Object.values(cases).map(({ options }) => options);
    const faults = all.flatMap((options) => (options.faults ?? []) as FaultRule[]);
    const together = { options: Object.assign({}, ...all, { faults }), path: '/file' };
    expect(await arrivals(together)).toEqual(await arrivals(together));
  });

  it.each(Object.entries(cases).slice(1))('and another seed is another run: %s', async (_name, options) => {
    expect(await arrivals(options, 2)).not.toEqual(await arrivals(options));
  });
});
