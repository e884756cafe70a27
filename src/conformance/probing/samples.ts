import { isSafe, type ReadyRequest } from '../probes.js';
import type { Exchange } from './exchange.js';
import { CannotCheck, type Completed, hasResponse, type Prober, sessionOf } from './prober.js';

/** Errors that the kit provokes: each once, for all the cases that look at it. */
export const sampleNames = [
  'unknown-route',
  'unknown-resource',
  'missing-session',
  'dead-session',
  'broken-json',
  'broken-parameters',
  'wrong-password',
  'invalid-payload',
  'denial',
  'failure',
] as const;
export type SampleName = (typeof sampleNames)[number];

interface Sample {
  /** What is missing to take it; `undefined` when nothing is. */
  lacks(prober: Prober): string | undefined;
  take(prober: Prober): Promise<Exchange>;
}

const samples: Record<SampleName, Sample> = {
  'unknown-route': {
    lacks: ({ settings }) => lacksRequest(settings.unknownRoute, 'probes.unknownRoute', settings.allowWrites),
    take: (prober) => withSession(prober, prober.settings.unknownRoute),
  },
  'unknown-resource': probe('unknown'),
  'missing-session': {
    lacks: (prober) => lacksSession(prober) ?? lacksProbe(prober, 'readable'),
    take: (prober) => prober.send(prober.settings.readable as ReadyRequest),
  },
  'dead-session': {
    lacks: (prober) => lacksSession(prober) ?? lacksProbe(prober, 'readable'),
    take: async (prober) => prober.send(prober.settings.readable as ReadyRequest, await deadSession(prober)),
  },
  'broken-json': {
    lacks: lacksFeature,
    take: (prober) => prober.send(toInitialize(prober, '[{"key": "user", "value": ')),
  },
  'broken-parameters': {
    lacks: lacksFeature,
    take: (prober) => prober.send(toInitialize(prober, '[7, null]')),
  },
  'wrong-password': {
    lacks: ({ settings }) =>
      settings.initialize.wrongParameters ? undefined : 'needs `probes.initialize.wrongParameters`',
    take: (prober) => prober.logIn(prober.settings.initialize.wrongParameters),
  },
  'invalid-payload': probe('invalid'),
  denial: probe('forbidden'),
  failure: probe('failing'),
};

/** What is missing to take a sample; `undefined` when nothing is. */
export function lacksSample(prober: Prober, name: SampleName): string | undefined {
  return samples[name].lacks(prober);
}

export function takeSample(prober: Prober, name: SampleName): Promise<Exchange> {
  return prober.once(name, () => samples[name].take(prober));
}

/** The provoked errors that were answered as errors; what else is wrong with them is for the cases of their status. */
export async function takeErrors(prober: Prober): Promise<Completed[]> {
  const errors: Completed[] = [];
  for (const name of sampleNames) {
    if (lacksSample(prober, name) !== undefined) continue;
    const seen = await takeSample(prober, name).catch((error: unknown) => {
      if (error instanceof CannotCheck) return undefined;
      throw error;
    });
    if (seen !== undefined && hasResponse(seen) && seen.response.status >= 400) errors.push(seen);
  }
  return errors;
}

export function toInitialize({ settings }: Prober, body: string): ReadyRequest {
  return { method: 'POST', path: settings.initialize.path, headers: { 'content-type': 'application/json' }, body };
}

/** What stops a probe from being sent: it is not there, or it might write. */
export function lacksProbe({ settings }: Prober, name: 'readable' | 'unknown' | 'invalid' | 'forbidden' | 'failing') {
  return lacksRequest(settings[name], `probes.${name}`, settings.allowWrites);
}

export function lacksRequest(request: ReadyRequest | undefined, name: string, allowWrites: boolean) {
  if (request === undefined) return `needs \`${name}\``;
  if (isSafe(request) || allowWrites) return undefined;
  return `would send ${request.method} ${request.path}, which may write: needs \`allowWrites\``;
}

export function lacksSession(prober: Prober): string | undefined {
  return lacksFeature(prober) ?? (prober.canLogIn ? undefined : 'needs `probes.initialize.parameters`');
}

function lacksFeature({ settings }: Prober): string | undefined {
  return settings.features.has('session') ? undefined : 'the feature `session` is not declared';
}

function probe(name: 'unknown' | 'invalid' | 'forbidden' | 'failing'): Sample {
  return {
    lacks: (prober) => lacksProbe(prober, name),
    take: (prober) => withSession(prober, prober.settings[name] as ReadyRequest),
  };
}

function withSession(prober: Prober, request: ReadyRequest): Promise<Exchange> {
  return lacksSession(prober) === undefined ? prober.sendWithSession(request) : prober.send(request);
}

/** The live session with every secret value replaced by one of the same length that nobody has handed out. */
async function deadSession(prober: Prober): Promise<Record<string, string>> {
  const session = await prober.session();
  const secret = new Set(
    (sessionOf(await prober.login()) ?? []).filter((entry) => entry.sensitive).map(({ key }) => key),
  );
  return Object.fromEntries(
    Object.entries(session).map(([key, value]) => [key, secret.size === 0 || secret.has(key) ? madeUp(value) : value]),
  );
}

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';

function madeUp(value: string): string {
  const random = crypto.getRandomValues(new Uint8Array(Math.max(value.length, 16)));
  return [...random].map((byte) => letters[byte % letters.length]).join('');
}
