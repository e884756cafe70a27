import { toSessionParameters } from '../../contract/index.js';
import { credentialHeaders, parseJson, readLimited } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import type { SeenExchange } from '../result.js';
import { maskedMark, type Secrets } from './mask.js';

/** The most bytes to read of a body: nothing in the contract is this large. */
const maxBodyBytes = 4 * 1024 * 1024;
const maxShownCharacters = 2000;

/** A request and its response, secrets included: show it only through {@link showExchange}. */
export interface Exchange {
  readonly request: ReadyRequest;
  readonly startedAt: number;
  readonly response: ReceivedResponse | undefined;
  /** Why there is no response. */
  readonly failure: string | undefined;
}

export interface ReceivedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** What was read of the body. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Whether the body is longer than that. */
  readonly truncated: boolean;
  /** The bytes as text. */
  readonly body: string;
}

/** Sends one request and reads the response. Never throws: a failure is part of the result. */
export async function exchange(settings: Settings, request: ReadyRequest): Promise<Exchange> {
  const startedAt = Date.now();
  const signal = AbortSignal.timeout(settings.timeoutMs);
  try {
    const message = new Request(settings.baseUrl + request.path, {
      method: request.method,
      headers: request.headers,
      redirect: 'manual',
      signal,
      ...(request.body === undefined ? {} : { body: request.body }),
    });
    // A race, because a `fetch` that was passed in may ignore the signal.
    const response = await Promise.race([settings.fetch(message), rejectWhenAborted(signal)]);
    const limit = request.maxResponseBytes ?? maxBodyBytes;
    const { bytes, truncated } = await Promise.race([readLimited(response.body, limit), rejectWhenAborted(signal)]);
    const body = new TextDecoder().decode(bytes.subarray(0, maxBodyBytes));
    return {
      request,
      startedAt,
      response: { status: response.status, headers: response.headers, bytes, truncated, body },
      failure: undefined,
    };
  } catch (error) {
    const failure = signal.aborted ? `no complete response within ${settings.timeoutMs} ms` : describeFailure(error);
    return { request, startedAt, response: undefined, failure };
  }
}

function rejectWhenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function describeFailure(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const message = cause instanceof Error ? cause.message : String(cause);
  return typeof code === 'string' && !message.includes(code)
    ? `${code} ${message}`.trim()
    : message || 'the connection failed';
}

/** `GET /issues: 404`, for messages. */
export function summarize({ request, response, failure }: Exchange): string {
  return `${request.method} ${shorten(request.path, 80)}: ${response?.status ?? failure}`;
}

const secretHeaders = new Set([...credentialHeaders, 'set-cookie']);

/** An exchange for a report: secrets masked, long bodies cut. */
export function showExchange(
  { request, response, failure }: Exchange,
  context: { secrets: Secrets; sessionNames: ReadonlySet<string>; initializePath: string },
): SeenExchange {
  const { secrets, sessionNames } = context;
  const isLogin = request.path === context.initializePath;
  const showHeaders = (headers: Iterable<[string, string]>) =>
    Object.fromEntries(
      [...headers].map(([name, value]) => {
        const isSecret = secretHeaders.has(name.toLowerCase()) || sessionNames.has(name.toLowerCase());
        return [name, isSecret ? maskedMark : secrets.mask(value)];
      }),
    );
  const showBody = (body: string, maskParameters: boolean) =>
    shorten(secrets.mask(maskParameters ? maskValues(body) : body), maxShownCharacters);
  return {
    request: {
      method: request.method,
      path: shorten(secrets.mask(request.path), 500),
      headers: showHeaders(Object.entries(request.headers)),
      ...(request.body === undefined ? {} : { body: showBody(request.body, isLogin) }),
    },
    ...(response === undefined
      ? {}
      : {
          response: {
            status: response.status,
            headers: showHeaders(response.headers),
            body: showBody(response.body, isLogin && response.status < 300),
          },
        }),
    ...(failure === undefined ? {} : { failure: secrets.mask(failure) }),
  };
}

/** The body of a login or a session with every value masked, however short. */
function maskValues(body: string): string {
  const parameters = toSessionParameters(parseJson(body));
  if (parameters === undefined) return body;
  return JSON.stringify(parameters.map(({ key, sensitive }) => ({ key, value: maskedMark, sensitive })));
}

function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length)}… [${text.length - length} more characters]`;
}
