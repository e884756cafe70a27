import {
  type CallResponse,
  type ConnectorError,
  cleanCode,
  cleanMessage,
  type ErrorKind,
  errorOfKind,
  errorTable,
  kindOfStatus,
  limitBytes,
  parseErrorPayload,
  parseProblem,
  type RequestLine,
} from '../../contract/index.js';
import {
  createRedact,
  credentialHeaders,
  decodeLeniently,
  headerParts,
  isSecretField,
  printable,
  showsSecret,
} from '../../internal/index.js';
import { headerValue, type WireResponse } from './wire.js';

/** What an error response says, made safe to show. */
export interface ErrorContent {
  status: number;
  code: string | undefined;
  message: string;
  detail: string | undefined;
  origin: 'connector' | 'unknown';
  /** The response as errors show it; set if an error may be made of this later. */
  response?: CallResponse;
}

/**
 * Reads the body of an error leniently, and never throws (rule E6); `secrets` are removed (rule E5).
 *
 * @param kind what the status stands for: a rate limit may have the status of a denial and must not be described as
 *   one.
 */
export function readErrorContent(
  response: WireResponse,
  secrets: readonly string[],
  kind: ErrorKind = kindOfStatus(response.status),
): ErrorContent {
  const { status } = response;
  const type = headerValue(response.headers, 'content-type') ?? '';
  const text = response.end === 'whole' ? decodeLeniently(response.body, type) : undefined;
  const payload = text === undefined ? undefined : parseErrorPayload(text, '')?.errors;
  const mayBeProblem = payload === undefined && text !== undefined && problemType.test(type);
  const problem = mayBeProblem ? parseProblem(text) : undefined;
  const content = payload ?? problem;
  if (content === undefined) {
    const isEmpty = response.end === 'whole' && response.body.length === 0;
    const message = `${errorTable[kind].message} (${isEmpty ? 'the response has no body' : noBody[response.end]})`;
    return { status, code: undefined, message, detail: undefined, origin: 'unknown' };
  }
  const redact = createRedact(secrets);
  const { code, message, detail } = content;
  return {
    status,
    code: code === '' || showsSecret(code, secrets) ? undefined : cleanCode(code),
    message: cleanMessage(redact(message)),
    detail: detail === undefined ? undefined : limitBytes(printable(redact(detail)), maxDetailBytes),
    origin: payload === undefined ? 'unknown' : 'connector',
  };
}

/** Connectors cut it to 8 KiB, unless they are told otherwise (rules E5, E8). */
const maxDetailBytes = 64 * 1024;

/** RFC 9457 (rule E9). */
const problemType = /^application\/problem\+json\s*(;|$)/i;

const noBody = {
  whole: 'the response has no error body of the connector contract',
  truncated: 'the response body was cut off',
  'too-large': 'the response body is too large to be an error body',
  undecodable: 'the response body could not be decompressed',
};

/** The session headers whose values are not secret. A session from another process has no such marks. */
const publicHeaders = new WeakMap<object, ReadonlySet<string>>();

export function markPublicHeaders(headers: Readonly<Record<string, string>>, names: ReadonlySet<string>): void {
  publicHeaders.set(headers, names);
}

/** The session headers whose values are secret, in lower case. A response may bring the next value under the same name. */
export function secretNames(headers: Readonly<Record<string, string>>): string[] {
  const publicNames = publicHeaders.get(headers);
  return Object.keys(headers).filter((name) => !publicNames?.has(name));
}

/** What must not be shown of a session: its header values, and the secret parts inside them (rules E5, S7). */
export function sessionSecrets(headers: Readonly<Record<string, string>>): string[] {
  return secretNames(headers).flatMap((name) => headerParts(name, headers[name] as string));
}

/**
 * What must not be shown of the caller's own headers: credentials, and what is secret by its name (rule E5).
 *
 * @param session headers that are left to {@link sessionSecrets}, which knows how they were marked.
 */
export function credentialSecrets(
  headers: Readonly<Record<string, string>>,
  session: Readonly<Record<string, string>> = {},
): string[] {
  return Object.entries(headers).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    const isSecret = credentialHeaders.includes(key) || (!(key in session) && isSecretField([key, value]));
    return isSecret ? headerParts(name, value) : [];
  });
}

/** The typed error for a response that is not a rate limit: the class of its kind (rule E2). */
export function toConnectorError(content: ErrorContent, request: RequestLine, note = ''): ConnectorError {
  const { status, code, message, detail, origin } = content;
  return errorOfKind(kindOfStatus(status), message + note, { status, code, detail, origin, request });
}
