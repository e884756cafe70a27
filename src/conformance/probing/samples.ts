import { sleep, systemClock } from '../../internal/index.js';
import type { ReadyRequest } from '../probes.js';
import type { Exchange } from './exchange.js';
import { incompleteLogins } from './incomplete-logins.js';
import {
  lacksExpiry,
  lacksFeature,
  lacksFile,
  lacksInvalidBody,
  lacksProbe,
  lacksReading,
  lacksServedSession,
  lacksSession,
} from './lacks.js';
import { CannotCheck, type Completed, callProbe, hasResponse, ignoreCannotCheck } from './limits.js';
import { type Prober, toFileRequest } from './prober.js';
import { deadSession, initializeIsThere, newSession, withSession } from './with-session.js';

interface Sample {
  /** What is missing to provoke it; `undefined` when nothing is. */
  lacks(prober: Prober): string | undefined;
  take(prober: Prober): Promise<Exchange>;
}

/** The errors that the suite provokes, in this order: each once, for all cases that check it. */
const samples = {
  'unknown-route': probe('unknownRoute'),
  'unknown-resource': probe('unknown'),
  'missing-session': {
    lacks: lacksServedSession,
    take: (prober) => prober.send(prober.readable),
  },
  'dead-session': {
    lacks: lacksServedSession,
    take: async (prober) => prober.send(prober.readable, await deadSession(prober)),
  },
  'expired-session': {
    lacks: (prober) => lacksServedSession(prober) ?? lacksExpiry(prober),
    take: takeExpired,
  },
  'wrong-method': {
    lacks: (prober) => lacksFeature(prober, 'session'),
    take: async (prober) => {
      await initializeIsThere(prober);
      return prober.send({ method: 'GET', path: prober.settings.initialize.path, headers: {}, body: undefined });
    },
  },
  options: {
    lacks: lacksReading,
    take: (prober) => withSession(prober, toPreflight(prober.readable)),
  },
  'broken-json': {
    lacks: (prober) => lacksFeature(prober, 'session'),
    take: (prober) => {
      const [quoted, bare] = brokenSecrets(prober);
      return post(prober, `[{"key": "password", "value": "${quoted}"}, {"key": "password", "value": ${bare}`);
    },
  },
  'broken-parameters': {
    lacks: (prober) => lacksFeature(prober, 'session'),
    take: (prober) => post(prober, '[7, null]'),
  },
  'wrong-password': {
    lacks: ({ settings }) =>
      settings.initialize.wrongParameters ? undefined : 'needs `probes.initialize.wrongParameters`',
    take: (prober) => post(prober, JSON.stringify(prober.settings.initialize.wrongParameters)),
  },
  'huge-body': {
    lacks: () => undefined,
    // That its connection closes is an answer, too.
    take: (prober) => prober.postWrong(hugeParameters(), { mostResends: 0 }),
  },
  'invalid-payload': probe('invalid'),
  'broken-payload': {
    lacks: (prober) => lacksInvalidBody(prober) ?? (prober.canLogIn ? lacksSession(prober) : undefined),
    take: (prober) => withSession(prober, { ...(prober.settings.invalid as ReadyRequest), body: '{"title": ' }),
  },
  'refused-post': {
    lacks: (prober) => lacksServedSession(prober) ?? lacksInvalidBody(prober),
    take: (prober) => prober.send(prober.settings.invalid as ReadyRequest),
  },
  'file-without-session': {
    lacks: (prober) => lacksFile(prober) ?? lacksSession(prober),
    take: (prober) => prober.send(toFileRequest(prober)),
  },
  denial: probe('forbidden'),
  failure: probe('failing'),
  'cleanup-without-session': {
    lacks: (prober) => lacksFeature(prober, 'cleanup'),
    take: (prober) => prober.send(toCleanup(prober)),
  },
} satisfies Record<string, Sample>;
export type SampleName = keyof typeof samples;

/** Larger than what any connector has to take. */
const hugeParameters = () => `[{"key": "concordat", "value": "${'x'.repeat(4 * 1024 * 1024)}", "sensitive": false}]`;

/** The passwords in the broken JSON: no error may repeat them. The second is what parsers quote, V8 at most ten characters. */
export function brokenSecrets({ secrets }: Prober): string[] {
  const values = ['concordat-canary-broken-json-2b90d4', 'canary9b4x'];
  for (const value of values) secrets.add(value);
  return values;
}

export function lacksSample(prober: Prober, name: SampleName): string | undefined {
  return samples[name].lacks(prober);
}

export function takeSample(prober: Prober, name: SampleName): Promise<Exchange> {
  return prober.once(name, () => samples[name].take(prober));
}

/**
 * What other requests that need a session get without one, or with one that is not valid: not the failing one, which may fail
 * before anything looks at the session, and none with a body, which are for `session.refused-post`. Once for all cases.
 */
export function takeOthers(prober: Prober, name: 'missing-session' | 'dead-session') {
  return prober.once(`others with ${name}`, async () => {
    const { settings, readable } = prober;
    const session = name === 'missing-session' ? {} : await deadSession(prober);
    const head = readable.method === 'GET' ? await prober.send({ ...readable, method: 'HEAD' }, session) : undefined;
    const others: { probe: 'unknown' | 'forbidden' | 'invalid'; seen: Exchange }[] = [];
    for (const probe of ['unknown', 'forbidden', 'invalid'] as const) {
      const request = settings[probe];
      if (request === undefined || request.body !== undefined || lacksProbe(prober, probe) !== undefined) continue;
      others.push({ probe, seen: await prober.send(request, session) });
    }
    return { head, others };
  });
}

/**
 * The provoked errors with an error status, but for one. Whether it is the right one is for other cases to check.
 *
 * @throws CannotCheck if there is none: silence shows nothing.
 */
export async function takeErrors(prober: Prober, except?: SampleName): Promise<Completed[]> {
  const all: (Exchange | undefined)[] = [];
  for (const name of Object.keys(samples) as SampleName[]) {
    if (name === except || lacksSample(prober, name) !== undefined) continue;
    all.push(await takeSample(prober, name).catch(ignoreCannotCheck));
  }
  if (lacksFeature(prober, 'session') === undefined) {
    const logins = await incompleteLogins(prober).catch(ignoreCannotCheck);
    all.push(...(logins ?? []).map(({ seen }) => seen));
  }
  if (lacksServedSession(prober) === undefined) {
    for (const name of ['missing-session', 'dead-session'] as const) {
      const taken = await takeOthers(prober, name).catch(ignoreCannotCheck);
      all.push(...(taken?.others ?? []).map(({ seen }) => seen));
    }
  }
  const errors = all.flatMap((seen) => (seen && hasResponse(seen) && seen.response.status >= 400 ? [seen] : []));
  if (errors.length === 0) throw new CannotCheck('no request got an error response');
  return errors;
}

/** What a browser sends. Middleware for CORS may refuse any other `OPTIONS` in words of its own. */
function toPreflight(request: ReadyRequest): ReadyRequest {
  const headers = { origin: 'https://browser.test', 'access-control-request-method': request.method };
  return { ...request, method: 'OPTIONS', headers: { ...request.headers, ...headers } };
}

export function toCleanup({ settings }: Prober): ReadyRequest {
  return { method: 'POST', path: settings.cleanupPath, headers: {}, body: undefined };
}

async function post(prober: Prober, body: string): Promise<Exchange> {
  await initializeIsThere(prober);
  return prober.postWrong(body);
}

/** Ends a session of its own, and sends with it. */
async function takeExpired(prober: Prober): Promise<Exchange> {
  const { expire } = prober.settings;
  const session = await newSession(prober);
  await callProbe('expire.action', () => expire?.action?.(session));
  if (expire?.request !== undefined) await prober.send(expire.request, session);
  await sleep(systemClock, expire?.waitMs ?? 0);
  const seen = await prober.send(prober.readable, session);
  prober.forgetSession(); // this may have ended the shared session, too
  return seen;
}

function probe(name: 'unknown' | 'unknownRoute' | 'invalid' | 'forbidden' | 'failing'): Sample {
  return {
    lacks: (prober) => lacksProbe(prober, name),
    take: (prober) => withSession(prober, prober.settings[name] as ReadyRequest),
  };
}
