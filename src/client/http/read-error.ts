import {
  type CallResponse,
  type ConnectorError,
  cleanCode,
  cleanDetail,
  cleanMessage,
  type ErrorKind,
  errorOfKind,
  errorTable,
  type FailedRequest,
  kindOfStatus,
  parseErrorPayload,
  parseProblem,
} from '../../contract/index.js';
import { createRedact, credentialHeaders, headerParts, showsSecret } from '../../internal/index.js';
import { headerValue, type WireResponse } from './wire.js';

/** What an error answer said, made safe to show. */
export interface ErrorContent {
  status: number;
  code: string | undefined;
  message: string;
  detail: string | undefined;
  origin: 'connector' | 'unknown';
  /** As errors show it; there where an error may be made of this later. */
  response?: CallResponse;
}

/**
 * Reads an error's body, leniently and without ever failing (rule E6); `secrets` are taken out (rule E5).
 *
 * @param kind what the status stands for; a limit has the status of a denial, and must not be described as one.
 */
export function readErrorContent(
  response: WireResponse,
  secrets: readonly string[],
  kind: ErrorKind = kindOfStatus(response.status),
): ErrorContent {
  const { status } = response;
  const text = response.end === 'whole' ? new TextDecoder().decode(response.body) : undefined;
  const payload = text === undefined ? undefined : parseErrorPayload(text, '')?.errors;
  const problem = payload === undefined && text !== undefined && isProblem(response) ? parseProblem(text) : undefined;
  const said = payload ?? problem;
  if (said === undefined) {
    const message = `${errorTable[kind].message} (${noBody[response.end]})`;
    return { status, code: undefined, message, detail: undefined, origin: 'unknown' };
  }
  const redact = createRedact(secrets);
  const { code, message, detail } = said;
  return {
    status,
    code: code === '' || showsSecret(code, secrets) ? undefined : cleanCode(code),
    message: cleanMessage(redact(message)),
    detail: detail === undefined ? undefined : cleanDetail(redact(detail)),
    origin: payload === undefined ? 'unknown' : 'connector',
  };
}

/** RFC 9457 (rule E9). */
function isProblem({ headers }: WireResponse): boolean {
  return /^application\/problem\+json\s*(;|$)/i.test(headerValue(headers, 'content-type') ?? '');
}

const noBody = {
  whole: 'the answer has no error body of the connector contract',
  cut: 'the body of the answer was cut off',
  'too-large': 'the body of the answer is too large to be an error body',
  packed: 'the body of the answer could not be unpacked',
};

/** The headers of a session whose values are no secrets. A session that comes from elsewhere has no such marks. */
const openHeaders = new WeakMap<object, ReadonlySet<string>>();

export function markOpenHeaders(headers: Readonly<Record<string, string>>, names: ReadonlySet<string>): void {
  openHeaders.set(headers, names);
}

/** What must not be shown of a session: its header values, and what is secret inside them (rules E5, S7). */
export function sessionSecrets(headers: Readonly<Record<string, string>>): string[] {
  const open = openHeaders.get(headers);
  return Object.entries(headers).flatMap(([name, value]) => (open?.has(name) ? [] : headerParts(name, value)));
}

/** What must not be shown of the caller's own headers (rule E5). */
export function credentialSecrets(headers: Readonly<Record<string, string>>): string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    credentialHeaders.includes(name.toLowerCase()) ? headerParts(name, value) : [],
  );
}

/** The typed error for an answer that is no rate limit: the class of its kind (rule E2). */
export function toConnectorError(
  response: WireResponse,
  request: FailedRequest,
  content: ErrorContent,
  note = '',
): ConnectorError {
  const { status } = response;
  const { code, detail, origin } = content;
  return errorOfKind(kindOfStatus(status), content.message + note, { status, code, detail, origin, request });
}
