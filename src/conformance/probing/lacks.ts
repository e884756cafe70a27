import { isSafeMethod } from '../../internal/index.js';
import type { Feature } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import type { Prober } from './prober.js';

/** Why a probe cannot be sent: it is missing, or it may write. */
export function lacksProbe(
  { settings }: Prober,
  name: 'readable' | 'unknown' | 'unknownRoute' | 'invalid' | 'forbidden' | 'failing',
) {
  return lacksRequest(settings[name], `probes.${name}`, settings.allowWrites);
}

export function lacksRequest(request: ReadyRequest | undefined, name: string, allowWrites: boolean) {
  if (request === undefined) return `needs \`${name}\``;
  if (isSafeMethod(request.method) || allowWrites) return undefined;
  return `would send ${request.method} ${request.path}, which may write: needs \`allowWrites\``;
}

export function lacksInvalidBody(prober: Prober): string | undefined {
  const needs = prober.settings.invalid?.body === undefined ? 'needs a `probes.invalid` with a body' : undefined;
  return lacksProbe(prober, 'invalid') ?? needs;
}

export function lacksFile({ settings }: Prober): string | undefined {
  return lacksRequest(settings.file?.request, 'probes.file', settings.allowWrites);
}

export function lacksSession(prober: Prober): string | undefined {
  return lacksFeature(prober, 'session') ?? (prober.canLogIn ? undefined : 'needs `probes.initialize.parameters`');
}

/** Why the readable request cannot be sent with a session that a login has given. */
export function lacksServedSession(prober: Prober): string | undefined {
  return lacksSession(prober) ?? lacksProbe(prober, 'readable');
}

/** Why the readable request cannot be sent with other methods. */
export function lacksReading(prober: Prober): string | undefined {
  const { readable } = prober.settings;
  if (readable !== undefined && readable.method !== 'GET') return 'needs a `probes.readable` that is a GET';
  return lacksProbe(prober, 'readable') ?? (prober.canLogIn ? lacksSession(prober) : undefined);
}

export function lacksExpiry({ settings: { expire, allowWrites } }: Prober): string | undefined {
  if (expire === undefined) return 'needs `probes.expire`';
  return expire.request && lacksRequest(expire.request, 'probes.expire.request', allowWrites);
}

export function lacksFeature({ settings }: Prober, feature: Feature): string | undefined {
  return settings.features.has(feature) ? undefined : `the feature \`${feature}\` is not declared`;
}
