import { isSafeMethod } from '../../internal/index.js';
import type { ReadyRequest } from '../probes.js';
import { type Exchange, summarize } from './exchange.js';
import { type Completed, hasResponse } from './limits.js';
import type { Prober } from './prober.js';

/** How often each request is in flight at the same time as the others. */
const timesEach = 2;

/** A product that is overloaded, or away for a moment. The service sends the request again (rule G7). */
const overloaded = [502, 503, 504];

/** What a request gets alone. */
interface Alone {
  readonly request: ReadyRequest;
  readonly head: string;
  /** `undefined` if it is not the same each time. */
  readonly body: string | undefined;
}

export interface MixedUp {
  readonly seen: Exchange;
  readonly problem: string;
}

/**
 * Sends the probes that only read at the same time, and finds what they do not get alone. A response that belongs to another
 * request is certain; one that merely differs has to differ twice, since it may be chance.
 */
export async function findMixedUp(prober: Prober): Promise<MixedUp | undefined> {
  const first = await sendTogether(prober, differentRequests(prober));
  if (first?.isCertain !== false) return first;
  return sendTogether(prober, differentRequests(prober));
}

function differentRequests({ settings }: Prober): ReadyRequest[] {
  const { readable, unknown, unknownRoute, forbidden, file } = settings;
  const requests = [readable, unknown, unknownRoute, forbidden, file?.request];
  const reading = requests.filter((request) => request !== undefined && isSafeMethod(request.method));
  return [...new Map(reading.map((request) => [`${request!.method} ${request!.path}`, request!])).values()];
}

async function sendTogether(prober: Prober, requests: readonly ReadyRequest[]) {
  const all: Alone[] = [];
  for (const request of requests) all.push(...(await takeAlone(prober, request)));
  if (all.length < 2) return undefined;
  const session = await prober.session();
  const sent = Array.from({ length: timesEach }, () => all).flatMap((own) =>
    own.map(async (each) => ({ own: each, seen: await prober.sendNow(each.request, session) })),
  );
  for (const { own, seen } of await Promise.all(sent)) {
    if (isAlike(prober, seen, own)) continue;
    const other = all.find((each) => each !== own && each.body !== undefined && isAlike(prober, seen, each));
    const isOther = other !== undefined && own.body !== undefined;
    const [now] = await takeAlone(prober, own.request);
    if (now?.head !== own.head || now.body !== own.body) continue; // it changes by itself
    const { method, path } = other?.request ?? own.request;
    const whose = isOther ? `this is the response to ${method} ${path}` : 'alone it gets another response';
    return { seen, problem: ` among different simultaneous requests; ${whose}`, isCertain: isOther };
  }
  return undefined;
}

/** Nothing if there is no response to compare with. */
async function takeAlone(prober: Prober, request: ReadyRequest): Promise<Alone[]> {
  const [one, two] = [await prober.sendWithSession(request), await prober.sendWithSession(request)];
  if (!hasResponse(one) || !hasResponse(two) || isRefused(prober, one) || headOf(one) !== headOf(two)) return [];
  const { body } = one.response;
  return [{ request, head: headOf(one), body: body === two.response.body ? body : undefined }];
}

/** A rate limit, an overload and the end of a session say nothing about this. */
function isAlike(prober: Prober, seen: Exchange, alone: Alone): boolean {
  if (hasResponse(seen) && (seen.response.status === 401 || isRefused(prober, seen))) return true;
  return headOf(seen) === alone.head && (alone.body === undefined || seen.response?.body === alone.body);
}

function isRefused(prober: Prober, seen: Completed): boolean {
  return prober.limits.isLimit(seen) || overloaded.includes(seen.response.status);
}

function headOf(seen: Exchange): string {
  return `${seen.response?.status ?? summarize(seen)} ${seen.response?.headers.get('content-type') ?? ''}`;
}
