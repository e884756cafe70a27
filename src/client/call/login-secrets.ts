import {
  decodeLeniently,
  headerParts,
  isBytes,
  mostSecrets,
  parseJson,
  readEscape,
  toJson,
  xmlEscape,
} from '../../internal/index.js';
import { headerEntries } from '../http/request-headers.js';
import type { LoginRequest } from '../session/initialize.js';

/** Headers that say nothing of who logs in. */
const publicHeader = /^(?:accept|cache-control|content|origin|pragma|soapaction|user-agent)(?:-|$)/i;

/** A login function does not say which values are secret, so all of them are (rule E5). */
export function loginSecrets({ path, headers = {}, json, body }: LoginRequest): string[] {
  const secretHeaders = headerEntries(headers).filter(([name]) => !publicHeader.test(name));
  const [, query = ''] = String(path).split('?', 2);
  return boundSecrets([
    ...secretHeaders.flatMap(([name, value]) => headerParts(name, value)),
    ...new URLSearchParams(query).values(),
    ...valuesIn(json === undefined ? textOf(body) : toJson(json, '`json`')),
  ]);
}

/** Says nothing of who logs in: nothing, or the kind of the login (RFC 6749). */
const publicValues = new Set(['', 'password', 'client_credentials', 'refresh_token', 'authorization_code']);

/** Each once, and no more than are sought in a text. */
export function boundSecrets(secrets: readonly string[]): string[] {
  return [...new Set(secrets.filter((secret) => !publicValues.has(secret.trim())))].slice(0, mostSecrets);
}

function textOf(body: LoginRequest['body']): string {
  return isBytes(body) ? decodeLeniently(body, null) : String(body ?? '');
}

/** The values in a JSON, a form, an XML or lines of text. */
function valuesIn(text: string): string[] {
  const json = parseJson(text);
  if (json !== undefined) return leavesOf(json);
  const values = text.replaceAll('<![CDATA[', '').replaceAll(']]>', '').split('<').flatMap(valuesOfTag);
  return [...new URLSearchParams(text).values(), ...values.map((value) => value.trim().replace(xmlEscape, readEscape))];
}

/** What stands in a tag in quotes, and what follows it, line by line. */
function valuesOfTag(text: string): string[] {
  const end = text.indexOf('>');
  const quoted = text.slice(0, Math.max(end, 0)).split(/["']/);
  return [...quoted.filter((_part, index) => index % 2 === 1), ...text.slice(end + 1).split('\n')];
}

function leavesOf(value: unknown): string[] {
  if (typeof value === 'string' || typeof value === 'number') return [String(value)];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(leavesOf) : [];
}
