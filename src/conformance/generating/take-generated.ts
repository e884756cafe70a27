import { parseJson } from '../../internal/index.js';
import type { ReadyRequest } from '../probes.js';
import { type Exchange, summarize } from '../probing/exchange.js';
import { CannotCheck, NothingToCheck } from '../probing/limits.js';
import { hasSucceeded, type Prober } from '../probing/prober.js';
import { acceptedSession, withSession } from '../probing/with-session.js';
import { documentProblem, type Json } from './document.js';
import { type GeneratedRequest, generateRequests } from './requests.js';

interface ReadDocument {
  readonly document?: Json;
  /** What is wrong with it, and where it was seen. */
  readonly problem?: string;
  readonly seen?: Exchange;
}

/** The OpenAPI document, read once for all cases. */
export function takeDocument(prober: Prober): Promise<ReadDocument> {
  return prober.once('openapi document', async () => {
    const { document } = prober.settings.openapi!;
    if (typeof document !== 'string') return judged(document);
    const seen = await withSession(prober, { method: 'GET', path: document, headers: {}, body: undefined });
    if (!hasSucceeded(seen)) return { problem: `${summarize(seen)}; expected the OpenAPI document`, seen };
    const json = parseJson(seen.response.body);
    if (json === undefined) return { problem: `GET ${seen.request.path}: the OpenAPI document is not JSON`, seen };
    return { ...judged(json), seen };
  });
}

function judged(document: unknown): ReadDocument {
  const problem = documentProblem(document);
  if (problem === undefined) return { document: document as Json };
  return { problem: `the OpenAPI document cannot be used: ${problem}` };
}

export interface Generated {
  readonly all: readonly { readonly generated: GeneratedRequest; readonly seen: Exchange }[];
  /** Why the rest could not be sent. */
  readonly stopped: CannotCheck | undefined;
}

/** Sends the generated requests, once for all cases. @throws CannotCheck when there is no document or no session. */
export function takeGenerated(prober: Prober): Promise<Generated> {
  return prober.once('generated', async () => {
    const { document } = await takeDocument(prober);
    if (document === undefined)
      throw new CannotCheck('there is no OpenAPI document to derive requests from (openapi.document)');
    const requests = generateRequests(document, prober.settings);
    if (requests.length === 0) {
      const why = prober.settings.allowWrites ? '' : '; those that may write need `allowWrites`';
      throw new NothingToCheck(`no request can be derived from the OpenAPI document${why}`);
    }
    await acceptedSession(prober);
    const all: { generated: GeneratedRequest; seen: Exchange }[] = [];
    try {
      for (const generated of requests) all.push({ generated, seen: await send(prober, generated) });
    } catch (error) {
      if (error instanceof CannotCheck) return { all, stopped: error };
      throw error;
    }
    return { all, stopped: undefined };
  });
}

/** On a 401 it asks whether the session has ended, and only then logs in again: many logins might lock the account. */
async function send(prober: Prober, { request, hasSession }: GeneratedRequest): Promise<Exchange> {
  if (!hasSession) return prober.send(withoutSession(prober, request));
  const seen = await prober.send(request, await prober.session());
  if (seen.response?.status !== 401 || !prober.canLogIn) return seen;
  const { readable } = prober.settings;
  const control = readable?.method === 'GET' && (await prober.send(readable, await prober.session()));
  if (control && control.response?.status !== 401) return seen;
  prober.forgetSession();
  return prober.send(request, await prober.session());
}

/** An operation may declare the headers of the session as its parameters. */
function withoutSession({ sessionNames }: Prober, request: ReadyRequest): ReadyRequest {
  const headers = Object.entries(request.headers).filter(([name]) => !sessionNames.has(name));
  return { ...request, headers: Object.fromEntries(headers) };
}
