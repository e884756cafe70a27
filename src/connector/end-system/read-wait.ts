import {
  type AnnouncedQuota,
  currentHeader,
  maxWaitCharacters,
  parseQuota,
  parseWait,
  policyHeader,
} from '../../contract/index.js';
import { fallbackWaitMs } from '../errors/to-connector-error.js';
import type { EndSystemFailure } from './failure.js';
import type { BodyPath, HeaderReading, PresetRule, WaitBucket, WaitSource, WaitUnit } from './preset.js';
import { textOf, valuesAt } from './read-body.js';

/** The wait of a rate limit in milliseconds: from its first readable source, otherwise as announced, or the fallback. */
export function readWait(rule: PresetRule, failure: EndSystemFailure): number {
  const leastMs = rule.leastWaitMs ?? 1_000;
  for (const source of rule.wait ?? []) {
    const waitMs = typeof source === 'function' ? source(failure) : readSource(source, failure);
    if (waitMs !== undefined && waitMs >= 0) return Math.max(leastMs, Math.min(waitMs, Number.MAX_SAFE_INTEGER));
  }
  const announcedMs = announcedWaitMs(failure.headers);
  if (announcedMs === undefined) return Math.max(leastMs, rule.fallbackWaitMs ?? fallbackWaitMs);
  return Math.max(leastMs, announcedMs, rule.fallbackWaitMs ?? 0); // a rule may know of a longer quota
}

/** `RateLimit: "default";r=0;t=5`: the longest wait among the quotas that are used up (rule W8). */
function announcedWaitMs(headers: Headers): number | undefined {
  const { current } = readAnnouncedQuota(headers);
  const waits = current.flatMap(({ left, resetMs }) => (left === 0 ? (resetMs ?? []) : []));
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** The quota in the headers of rule W8. */
export function readAnnouncedQuota(headers: Headers): AnnouncedQuota {
  return parseQuota({ policy: headers.get(policyHeader), current: headers.get(currentHeader) });
}

/** A header's time, in milliseconds from now. */
export function readHeader(reading: HeaderReading, headers: Headers): number | undefined {
  return readSource(reading, { headers, json: undefined });
}

function readSource(
  source: Exclude<WaitSource, (...args: never) => unknown>,
  failure: Pick<EndSystemFailure, 'headers' | 'json'>,
) {
  const { headers, json } = failure;
  if (source.bucket !== undefined) return refillTime(source.bucket, json);
  const found = source.header === undefined ? valuesAt(json, source.body).map(textOf) : [headers.get(source.header)];
  const times = { date: headers.get('date'), age: headers.get('age') };
  for (const whole of found) {
    const text = textIn(whole, source.pattern);
    if (text === undefined) continue;
    for (const { value, format } of readings(text.trim(), source.unit)) {
      const { waitMs } = parseWait(value, { format, ...times });
      if (waitMs !== undefined) return waitMs + (source.marginMs ?? 0);
    }
  }
  return undefined;
}

/** What the pattern finds in a value, or all of it. A long value is not read: no pattern sees it (rule E8). */
export function textIn(value: unknown, pattern: RegExp | undefined): string | undefined {
  if (typeof value !== 'string' || value.length > maxWaitCharacters) return undefined;
  return pattern ? pattern.exec(value)?.[1] : value;
}

/** How long a budget takes to hold what the request costs. */
function refillTime({ cost, available, restorePerSecond }: WaitBucket, json: unknown): number | undefined {
  const numberAt = (path: BodyPath) => valuesAt(json, path).find((value) => typeof value === 'number') ?? Number.NaN;
  const waitMs = Math.ceil(((numberAt(cost) - numberAt(available)) / numberAt(restorePerSecond)) * 1000);
  return Number.isFinite(waitMs) ? Math.max(0, waitMs) : undefined;
}

const decimal = /^\d+\.\d+$/;

/** The ways to read a value, as the contract's strict parser takes them; vendors write decimals, which it does not. */
function readings(text: string, unit: WaitUnit): { value: string; format: Exclude<WaitUnit, 'guess'> }[] {
  if (unit === 'guess') {
    const number = Number(text);
    if (!/^\d/.test(text) || Number.isNaN(number)) {
      return (['http-date', 'iso-8601'] as const).map((format) => ({ value: text, format }));
    }
    return readings(text, number < 1e9 ? 'seconds' : number < 1e11 ? 'epoch-seconds' : 'epoch-milliseconds');
  }
  if (!decimal.test(text)) return [{ value: text, format: unit }];
  switch (unit) {
    case 'auto':
    case 'seconds':
      return [{ value: String(Math.ceil(Number(text) * 1000)), format: 'milliseconds' }];
    case 'epoch-seconds':
      return [{ value: String(Math.ceil(Number(text) * 1000)), format: 'epoch-milliseconds' }];
    default:
      return [{ value: String(Math.ceil(Number(text))), format: unit }];
  }
}
