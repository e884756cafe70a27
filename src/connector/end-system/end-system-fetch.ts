import { z } from 'zod';
import { ConnectorError } from '../../contract/index.js';
import { checkOptions, functionOf, optionsOf, type ShapeOf, timeLimit } from '../../internal/index.js';
import { choosePreset } from './define-preset.js';
import { describeRequest, type EndSystemFailure, type EndSystemRequest, readFailure } from './failure.js';
import { isLoginPage, type LoginPage, loginNeeded, loginPageOption } from './login-page.js';
import type { Preset } from './preset.js';
import type { PresetName } from './presets/index.js';
import { abortReason, isTimeout, limitTime, timeoutError } from './time-limit.js';
import { suspect, translateFailure } from './translate.js';

export interface EndSystemFetchOptions {
  /** How the end system reports failures: a name, or one made by {@link definePreset}. @default 'generic' */
  preset?: PresetName | Preset | undefined;
  /**
   * Asked first, for what a preset cannot say; `undefined` leaves the decision to the preset. It is asked about failures: below
   * 400 these are what a rule of the preset or `loginPage` takes for one. Other successes are not read for it.
   */
  translate?:
    | ((failure: EndSystemFailure) => ConnectorError | undefined | Promise<ConnectorError | undefined>)
    | undefined;
  /**
   * The page to which the end system leads calls whose session is over, where it does that instead of answering 401: taken
   * for the 401 that it means. A pattern is looked for in the address, without query, that a redirect leads to; `'html'` is any
   * page at all, for systems whose data are never HTML.
   *
   * @default none: what a redirect leads to is a success
   */
  loginPage?: LoginPage | undefined;
  /**
   * Milliseconds until a call is given up with a 504: for its head, and for its body where that is read as a whole (`json()`,
   * `text()` and so on); a body that is streamed has all the time it needs. It is less than the 30 s after which the
   * service's client gives up by default, so that the service is told why. Uploads count: give them a fetch of their own
   * with more, or with `Number.POSITIVE_INFINITY`.
   *
   * @default 25000
   */
  timeoutMs?: number | undefined;
  /** @default the global fetch */
  fetch?: typeof globalThis.fetch | undefined;
}

const schema = optionsOf({
  preset: z.custom<EndSystemFetchOptions['preset']>().optional(),
  translate: functionOf<NonNullable<EndSystemFetchOptions['translate']>>().optional(),
  loginPage: loginPageOption.optional(),
  timeoutMs: timeLimit.default(25_000),
  fetch: functionOf<typeof globalThis.fetch>().optional(),
} satisfies ShapeOf<EndSystemFetchOptions>);

/**
 * A fetch for calling the system behind a connector. It returns successful answers only: every failure is thrown as the
 * error that the contract has for it, with the end system's own code and message and its answer as the detail (rules E2,
 * E3), so a connector's handler needs no error handling of its own. Rate limits carry the end system's wait, or 60 s where
 * it names none. Where a product hides failures in a 200, its preset has JSON bodies up to 1 MiB looked into; a success is
 * handed on unread, streams included. A system that cannot be reached is a 502, one that does not answer in `timeoutMs` a 504,
 * also while the body is read. When the caller's signal aborts, its reason is thrown as it is (a mere text, as servers of
 * Node give, as an `AbortError`): with `signal: c.req.raw.signal` a call ends when the service gives its request up.
 *
 * @throws TypeError naming the option that is wrong; for a preset's name it lists those there are.
 * @example
 * const github = endSystemFetch({ preset: 'github' })
 * const issue = await (await github(`${baseUrl}/repos/${repository}/issues/7`)).json()
 */
export function endSystemFetch(options: EndSystemFetchOptions = {}): typeof globalThis.fetch {
  const { translate, loginPage, timeoutMs, fetch: ownFetch, ...settings } = checkOptions(schema, options);
  const preset = choosePreset(settings.preset ?? 'generic', 'preset');

  const make = (hear: (headers: Headers) => void) => async (input: string | URL | Request, init?: RequestInit) => {
    const request = describeRequest(input, init);
    const caller = init?.signal ?? (input as Partial<Request>).signal;
    const limit = limitTime(timeoutMs, caller, request);
    const { signal } = limit;
    try {
      let response: Response;
      try {
        response = await (ownFetch ?? globalThis.fetch)(input, { ...init, signal });
      } catch (thrown) {
        throw signal.aborted ? signal.reason : unreachable(thrown, request);
      }
      hear(response.headers);
      if (response.status < 400) {
        const hidden = await readHidden(response, request, preset);
        if (hidden && signal.aborted) throw signal.reason;
        const verdict = hidden && translateFailure(hidden, preset);
        if (hidden && verdict) {
          response.body?.cancel().catch(() => {});
          throw (await translate?.(hidden)) ?? verdict;
        }
        if (loginPage === undefined || !isLoginPage(response, request, loginPage)) {
          limit.leaveBody(response);
          return response;
        }
        const page = await readFailure(response, request);
        throw (await translate?.(page)) ?? loginNeeded(request);
      }
      const failure = await readFailure(response, request, preset.body);
      if (caller?.aborted && !isTimeout(caller.reason)) throw abortReason(caller);
      throw (await translate?.(failure)) ?? translateFailure(failure, preset);
    } catch (error) {
      limit.end();
      throw error;
    }
  };
  const plain = make(() => {});
  listening.set(plain, (hear) => make((headers) => hear(headers, preset)));
  return plain;
}

/** Hears the head of every answer of an end system, failures included, before anything is made of it. */
export type HearAnswer = (headers: Headers, preset: Preset) => void;

const listening = new WeakMap<typeof globalThis.fetch, (hear: HearAnswer) => typeof globalThis.fetch>();

/** The same fetch with an ear. @throws TypeError when it is none of {@link endSystemFetch}. */
export function listenTo(endSystem: typeof globalThis.fetch, hear: HearAnswer): typeof globalThis.fetch {
  const make = listening.get(endSystem);
  if (make === undefined) throw new TypeError('`endSystem` must be made by `endSystemFetch`.');
  return make(hear);
}

/** More than any failure needs, and little enough to hold in memory beside the caller's own copy. */
const maxHiddenBytes = 1024 * 1024;

/** Looks into an answer that may only look like a success; the caller's own copy stays whole and unread. */
async function readHidden(
  response: Response,
  request: EndSystemRequest,
  preset: Preset,
): Promise<EndSystemFailure | undefined> {
  const suspicion = suspect(response, preset);
  if (suspicion === 'by-head') return readFailure(response.clone(), request, preset.body);
  if (suspicion === 'no' || !isSmallJson(response)) return undefined;
  // No time bound: the caller is about to read the same body, and its signal bounds both.
  return readFailure(response.clone(), request, 'json', { maxBytes: maxHiddenBytes, maxMs: Number.POSITIVE_INFINITY });
}

/** A download or a stream of records must not be read ahead to look for a failure in it. */
function isSmallJson({ headers }: Response): boolean {
  if (Number(headers.get('content-length') ?? 0) > maxHiddenBytes) return false;
  return /^\s*(?:text\/json|application\/(?:json|(?!stream\+)[\w.-]+\+json))\s*(?:;|$)/i.test(
    headers.get('content-type') ?? '',
  );
}

const timeoutCodes = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function unreachable(thrown: unknown, request: EndSystemRequest): unknown {
  const code = codeOf(thrown);
  if (code === 'ERR_INVALID_URL') return thrown; // the connector's own mistake
  if (isTimeout(thrown) || timeoutCodes.has(code ?? '')) return timeoutError(request, thrown);
  const reason = code === undefined ? '' : ` (${code})`;
  return new ConnectorError(`${request.method} ${request.url}: the end system cannot be reached${reason}.`, {
    status: 502,
    code: 'END_SYSTEM_UNREACHABLE',
    cause: thrown,
  });
}

/** The system's code for what went wrong; fetch hides it in the cause. */
function codeOf(thrown: unknown): string | undefined {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: { code?: unknown } | null };
  const found = cause?.code ?? code;
  return typeof found === 'string' ? found : undefined;
}
