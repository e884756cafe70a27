import * as z from 'zod';
import type { ConnectorError } from '../../contract/index.js';
import {
  bool,
  type Clock,
  cancelBody,
  checkOptions,
  functionOf,
  option,
  optionsOf,
  quiet,
  type ShapeOf,
  systemClock,
  timeLimit,
  withMethods,
} from '../../internal/index.js';
import { choosePreset } from './define-preset.js';
import { describeRequest, type EndSystemFailure, type EndSystemRequest, readFailure } from './failure.js';
import { isLoginPage, type LoginPage, loginNeeded, loginPageOption } from './login-page.js';
import { outgoingSecrets } from './outgoing-secrets.js';
import type { Preset } from './preset.js';
import type { PresetName } from './presets/index.js';
import { requestOf } from './read-response.js';
import { isSoapSuccess } from './read-soap.js';
import { abortReason, isTimeout, limitTime } from './time-limit.js';
import { suspect, translateFailure } from './translate.js';
import { isMistake, isRefusedRedirect, unreachable } from './unreachable.js';
import { watchSource } from './watch-source.js';

export interface EndSystemFetchOptions {
  /** How the end system reports failures: a name, or one made by {@link definePreset}. @default 'generic' */
  preset?: PresetName | Preset | undefined;
  /**
   * Translates a failure before the preset does; `undefined` leaves it to the preset. Below 400 it is asked about responses that
   * a rule of the preset or `loginPage` takes for a failure, and about those of `translateStatuses`. Others are not read.
   */
  translate?:
    | ((failure: EndSystemFailure) => ConnectorError | undefined | Promise<ConnectorError | undefined>)
    | undefined;
  /**
   * Successes that `translate` is asked about as well, such as `[200]` for a product that reports failures in words: up to 1 MiB
   * of JSON, XML or text. `undefined` from `translate` leaves them successes.
   *
   * @default none
   */
  translateStatuses?: readonly number[] | undefined;
  /** Removes internals from the end system's messages and details: see {@link Preset.clean}. @default that of the preset */
  clean?: Preset['clean'];
  /** `false` leaves the end system's response out of the errors. @default that of the preset, or true */
  detail?: boolean | undefined;
  /**
   * The login page of an end system that redirects expired sessions instead of responding with a 401: it is treated as a 401.
   * A pattern is matched against the target of a redirect, without its query; `'html'` is any page, for systems whose data
   * is never HTML.
   *
   * @default none: the target of a redirect is a success
   */
  loginPage?: LoginPage | undefined;
  /**
   * Milliseconds until a call fails with a 504: for the headers, and for a body that is read as a whole (`json()`, `text()` and
   * so on); a streamed body has no timeout. The default is below the 30 s of the service's client, so that the service
   * learns the reason. Uploads count: use a fetch with a longer timeout for them, or `Number.POSITIVE_INFINITY`.
   *
   * @default 25000
   */
  timeoutMs?: number | undefined;
  /** @default the global fetch */
  fetch?: typeof globalThis.fetch | undefined;
  /** What measures `timeoutMs`. @default the machine's clock */
  clock?: Clock | undefined;
}

const schema = optionsOf({
  preset: z.custom<EndSystemFetchOptions['preset']>().optional(),
  translate: functionOf<NonNullable<EndSystemFetchOptions['translate']>>().optional(),
  translateStatuses: option<readonly number[]>(
    (all) => Array.isArray(all) && all.every((status) => Number.isInteger(status) && status >= 200 && status <= 399),
    'must be an array of statuses from 200 to 399',
  ).default([]),
  clean: functionOf<NonNullable<Preset['clean']>>().optional(),
  detail: bool.optional(),
  loginPage: loginPageOption.optional(),
  timeoutMs: timeLimit.default(25_000),
  fetch: functionOf<typeof globalThis.fetch>().optional(),
  clock: withMethods<Clock>('now', 'monotonic', 'setTimer').default(() => systemClock),
} satisfies ShapeOf<EndSystemFetchOptions>).refine(
  ({ translate, translateStatuses }) => translate || !translateStatuses.length,
  {
    message: 'needs `translate`',
    path: ['translateStatuses'],
  },
);

/**
 * Creates a fetch for calling the system behind a connector. It returns successful responses only. Every failure is thrown as
 * a contract error with the end system's code and message, and its response as the detail (rules E2, E3), so handlers need
 * no error handling of their own. Rate limits carry the end system's wait, or 60 s if it names none.
 *
 * If a product hides failures in a 200, its preset reads JSON or SOAP bodies up to 1 MiB to find them; other successes are
 * returned unread, streams included. A system that cannot be reached is a 502, one that does not respond within `timeoutMs` a 504, also
 * while the body is read. When the caller's signal aborts, its reason is thrown (a bare string, as Node servers give, as an
 * `AbortError`): with `signal: c.req.raw.signal` a call ends when the service cancels its request.
 *
 * @throws TypeError naming the invalid option; for an unknown preset it lists the known ones.
 * @example
 * const github = endSystemFetch({ preset: 'github' })
 * const issue = await (await github(`${baseUrl}/repos/${repository}/issues/7`)).json()
 */
export function endSystemFetch(options: EndSystemFetchOptions = {}): typeof globalThis.fetch {
  const settings = checkOptions(schema, options);
  const { translate, translateStatuses, loginPage, timeoutMs, fetch: ownFetch, clock } = settings;
  const chosen = choosePreset(settings.preset ?? 'generic', 'preset');
  const preset = { ...chosen, clean: settings.clean ?? chosen.clean, detail: settings.detail ?? chosen.detail };

  const make = (hear: (headers: Headers) => void) => async (input: string | URL | Request, init?: RequestInit) => {
    const request = describeRequest(input, init);
    const secrets = () => outgoingSecrets(input, init);
    const caller = init?.signal ?? (input as Partial<Request>).signal;
    const limit = limitTime(timeoutMs, clock, caller, request);
    const { signal } = limit;
    const source = watchSource(init);
    try {
      let response: Response;
      try {
        response = await (ownFetch ?? globalThis.fetch)(input, { ...source.init, signal });
      } catch (thrown) {
        if (signal.aborted) throw signal.reason;
        if (source.failure !== undefined) throw source.failure.error;
        // Where it leads fetch does not say: most likely to the login page, and one login more does no harm.
        if (loginPage !== undefined && isRefusedRedirect(thrown, input, init)) throw loginNeeded(request);
        throw isMistake(thrown, input, init, ownFetch !== undefined) ? thrown : unreachable(thrown, request);
      }
      hear(response.headers);
      const isLogin = loginPage !== undefined && isLoginPage(response, request, loginPage);
      if (response.status < 400) {
        const isListed = translateStatuses.includes(response.status);
        const hidden = await readHidden(response, request, preset, isListed, clock);
        if (hidden && signal.aborted) throw signal.reason;
        const verdict = hidden && translateFailure(hidden, preset, secrets);
        const error = hidden && (verdict || isListed) ? ((await translate?.(hidden)) ?? verdict) : undefined;
        if (error) {
          cancelBody(response);
          throw error;
        }
        if (!isLogin) {
          limit.leaveBody(response);
          requestOf.set(response, request);
          return response;
        }
      }
      const failure = await readFailure(response, request, isLogin ? undefined : preset.body, { clock });
      if (caller?.aborted && !isTimeout(caller.reason)) throw abortReason(caller);
      throw (
        (await translate?.(failure)) ?? (isLogin ? loginNeeded(request) : translateFailure(failure, preset, secrets))
      );
    } catch (error) {
      limit.end();
      throw error;
    }
  };
  const plain = make(() => {});
  // A quota is advice: what its listener does must not cost a response.
  listening.set(plain, (hear) => make((headers) => quiet(hear)(headers, preset)));
  return plain;
}

/** Gets the headers of every response of an end system, failures included. */
export type HeadersListener = (headers: Headers, preset: Preset) => void;

const listening = new WeakMap<typeof globalThis.fetch, (hear: HeadersListener) => typeof globalThis.fetch>();

/** The same fetch with a listener. @throws TypeError when `endSystem` was not made by {@link endSystemFetch}. */
export function listenTo(endSystem: typeof globalThis.fetch, hear: HeadersListener): typeof globalThis.fetch {
  const make = listening.get(endSystem);
  if (make === undefined) throw new TypeError('`endSystem` must be made by `endSystemFetch`.');
  return make(hear);
}

/** More than any failure needs, and little enough to hold in memory besides the caller's copy. */
const maxHiddenBytes = 1024 * 1024;

/** Reads a copy of a response that may only look like a success. */
async function readHidden(
  response: Response,
  request: EndSystemRequest,
  preset: Preset,
  isListed: boolean,
  clock: Clock,
): Promise<EndSystemFailure | undefined> {
  const suspicion = suspect(response, preset);
  if (suspicion === 'by-head') return readFailure(response.clone(), request, preset.body, { clock });
  const isSoap = preset.body === 'soap';
  if (!isSmall(response, isListed ? readable : suspicion === 'no' ? undefined : isSoap ? xml : json)) return undefined;
  // No timeout: the caller is about to read the same body, and its signal ends both.
  return readFailure(response.clone(), request, preset.body, {
    maxBytes: maxHiddenBytes,
    maxMs: Number.POSITIVE_INFINITY,
    isEnough: isSoap && !isListed ? isSoapSuccess : undefined,
  });
}

const json = /^\s*(?:text\/json|application\/(?:json|(?!stream\+)[\w.-]+\+json))\s*(?:;|$)/i;
const xml = /^\s*(?:text\/xml|application\/(?:xml|[\w.-]+\+xml))\s*(?:;|$)/i;
const readable =
  /^\s*(?:text\/(?!event-stream)[\w.+-]+|application\/(?:json|xml|(?!stream\+)[\w.-]+\+(?:json|xml)))\s*(?:;|$)/i;

/** A download or a stream of records must not be read ahead to look for a failure in it. */
function isSmall({ headers }: Response, type: RegExp | undefined): boolean {
  if (Number(headers.get('content-length') ?? 0) > maxHiddenBytes) return false;
  return type?.test(headers.get('content-type') ?? '') ?? false;
}
