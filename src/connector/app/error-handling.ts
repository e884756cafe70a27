import type { Context } from 'hono';
import { isConnectorError, type SessionParameter } from '../../contract/index.js';
import { cancelBody, createRedact, isResponse, quiet } from '../../internal/index.js';
import { errorContentType, type WireError, type WriteError } from '../errors/error-writer.js';
import { forgetHeaders, toHonoResponse } from '../errors/hono-response.js';
import type { RateLimitHeader } from '../errors/options.js';
import { headerSecrets, parameterSecrets as readParameterSecrets } from '../errors/redact.js';
import { originals } from '../errors/responses.js';
import { noteTold } from '../errors/to-connector-error.js';
import { translated } from '../errors/translated.js';
import { warnOfSilence } from '../errors/warn-of-silence.js';
import type { createAnnouncer } from '../request/announce.js';
import { lateReporters, stateOf } from '../request/request-state.js';
import type { ConnectorOptions } from './connector-options.js';
import { readReturnedError, withError } from './returned-error.js';
import type { GuardedRequest } from './session-guard.js';

type Hooks = Pick<ConnectorOptions<never, never>, 'onError' | 'translate'>;

interface Settings extends Hooks {
  readonly sessionNames: readonly string[];
  readonly rateLimit: RateLimitHeader;
  readonly writeError: WriteError;
  readonly announce: ReturnType<typeof createAnnouncer>;
  /** What the connector knows of a request, once it has reached it. */
  readonly requests: WeakMap<Context, GuardedRequest>;
}

/** How one connector handles errors, whether they are thrown, made by a helper or returned as a response. */
export function createErrorHandling(settings: Settings) {
  const { sessionNames, rateLimit, writeError, announce, requests, onError, translate } = settings;
  if (onError === undefined) warnOfSilence();
  const notify = quiet(onError);
  const parameterSecrets = new WeakMap<Context, string[]>();
  // Only logins say what is sensitive: a header is secret unless every login has handed it out as not sensitive.
  let secretNames = sessionNames;
  const isPublic = new Map<string, boolean>();

  const secretsOf = (c: Context): string[] => {
    const { headers } = c.req.raw;
    const ofHeaders = headerSecrets((name) => headers.get(name), stateOf(c).sessionHeaders ?? secretNames);
    return [...ofHeaders, ...(parameterSecrets.get(c) ?? [])];
  };
  const write = (thrown: unknown, c: Context): WireError => {
    const error = writeError(thrown, secretsOf(c));
    stateOf(c).error = error;
    return error;
  };
  const respondAs = (error: unknown, c: Context): Response => announce(toHonoResponse(c, write(error, c)), c);
  const report = (thrown: unknown, c: Context) => {
    const state = stateOf(c);
    state.reported ??= new Set();
    if (state.reported.has(thrown)) return;
    state.reported.add(thrown);
    const outerSession: unknown = c.get('session');
    const request = requests.get(c);
    if (request) c.set('session', request.session);
    notify(abandoned(thrown, c), c, createRedact(secretsOf(c)));
    c.set('session', outerSession);
  };
  const finish = (returned: unknown, c: Context) => {
    const { barredHeader } = stateOf(c).error ?? {};
    // Middleware may have set a wait header (rule W2). If it ends in `return next()`, it returns the context.
    if (barredHeader && (isResponse(returned) ? returned : c.res).headers.has(barredHeader)) {
      if (isResponse(returned)) returned.headers.delete(barredHeader);
      else c.header(barredHeader); // on a copy: the headers of a fetched response cannot be changed
    }
    return announce(returned, c);
  };

  /** The error in place of a response that Hono has as `c.res` already, or is about to make that. */
  const replace = (response: Response, error: WireError, c: Context): Response => {
    const headers = withError(response.headers, error, createRedact(secretsOf(c)));
    const result = new Response(error.body, { status: error.status, headers });
    if (!c.finalized) forgetHeaders(c, error);
    else if (response === c.res) {
      c.res = undefined;
      c.res = result;
    }
    return result;
  };

  return {
    respondAs,
    /** The response for what was thrown; `onError` gets it. */
    respond(thrown: unknown, c: Context): Response {
      const reportMistake = (mistake: TypeError) => report(mistake, c);
      const error = stateOf(c).bodyTooLarge ?? translated(translate, thrown, c, reportMistake);
      noteTold(thrown, error);
      report(thrown, c);
      return respondAs(error, c);
    },
    /**
     * Turns what a handler returned into what counts.
     *
     * @throws ConnectorError for a body over its limit, unless the handler has responded with a 413.
     */
    async leave(returned: unknown, c: Context): Promise<unknown> {
      const response = isResponse(returned) ? returned : c.res;
      const { bodyTooLarge, error, isOpenPath } = stateOf(c);
      if (bodyTooLarge && response.status !== 413) {
        cancelBody(response);
        throw bodyTooLarge;
      }
      const original = originals.get(returned as Response);
      // Before any middleware copies it: `return rateLimited(…)` has the connector's own wait header, like a thrown error.
      if (original) return finish(replace(returned as Response, write(original.thrown, c), c), c);
      // The error that was written, or a copy that middleware has made of it, perhaps compressed.
      const isJson = response.headers.get('content-type') === errorContentType;
      const isWritten = isJson && response.status === error?.status;
      if (isWritten || isOpenPath || response.status < 400) return finish(returned, c);
      const read = await readReturnedError(response, rateLimit);
      if (!read.isContract) report(read.error, c);
      const result = replace(response, write(read.error, c), c);
      return finish(isResponse(returned) ? result : returned, c);
    },
    /** Keeps the parameters of initialize out of errors. */
    keepSecret: (c: Context, body: unknown) => void parameterSecrets.set(c, readParameterSecrets(body)),
    /** Learns from a login which session headers are sensitive. */
    handedOut(parameters: readonly SessionParameter[]): void {
      for (const { key, sensitive } of parameters) {
        const name = key.toLowerCase();
        isPublic.set(name, !sensitive && isPublic.get(name) !== false);
      }
      secretNames = sessionNames.filter((name) => !isPublic.get(name.toLowerCase()));
    },
    /** Keeps the values of this connector's session out of errors, besides those of connectors around it. */
    enter(c: Context): void {
      const state = stateOf(c);
      state.reportLate = report;
      const { outgoing } = Object(c.env) as { outgoing?: object };
      const isOfNode = typeof outgoing === 'object' && outgoing !== null;
      lateReporters.set(isOfNode ? outgoing : c.req.raw, (thrown) => state.reportLate?.(thrown, c));
      state.sessionHeaders = [...(state.sessionHeaders ?? []), ...secretNames];
    },
  };
}

/**
 * What a handler throws because the connection has closed, most often by the service, is not a failure of the connector:
 * `onError` gets an `AbortError` instead. Servers abort with any reason, strings included.
 */
function abandoned(thrown: unknown, c: Context): unknown {
  const { signal } = c.req.raw;
  if (!signal.aborted || !isOfAbort(thrown, signal.reason)) return thrown;
  return new DOMException('The connection was closed before the end of the response.', {
    name: 'AbortError',
    cause: thrown,
  } as never);
}

/** Only a contract error and what `fetch` throws hide why they were thrown. */
function isOfAbort(thrown: unknown, reason: unknown): boolean {
  let error = thrown;
  for (let depth = 0; depth < 4; depth++) {
    if (error === reason) return true;
    const { name, code, message, cause } = Object(error) as Record<'name' | 'code' | 'message' | 'cause', unknown>;
    // The second is what Node's body of a request fails with.
    if (name === 'AbortError' || (code === 'ECONNRESET' && message === 'aborted')) return true;
    const mayHide = isConnectorError(error) || error instanceof TypeError;
    if (!mayHide || cause === undefined) return false;
    error = cause;
  }
  return false;
}
