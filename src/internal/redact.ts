import { readings } from './escapes.js';

export const redactedMark = '[redacted]';

/** Shorter values are not redacted: without every "7" and "eu", a message would be unreadable. */
const shortestSecret = 4;

/** Text without the given values (rule E5). */
export type Redact = (text: string) => string;

const secretName = /pass|pwd|secret|token|credential|cookie|session|authorization|(?:api|access|private|auth)[-_]?key/i;

/** Whether a value is secret by the name of its field, header or parameter. */
export const hasSecretName = (name: string): boolean => secretName.test(name);

/** Whether a value is a secret: as marked, or, without a mark, judged by its name and value (rule E5). */
export function isSecret({ key, value, sensitive }: { key: string; value: string; sensitive?: unknown }): boolean {
  return typeof sensitive === 'boolean' ? sensitive : hasSecretName(key) || isRandom(value);
}

/**
 * Of a request, no more secrets are sought: each takes time for every character of a text, and a caller could choose both
 * (rule E8). No login and no browser sends as many.
 */
export const mostSecrets = 100;

const plainWord = /^[a-z]{1,7}$/i;
const exactName = /(?:^|[-_])(?:password|secret|token|api[-_]?key)$/i;

/** Whether a header or a field is secret by its name alone: with `sessionType=open`, no message could say "open". */
export function isSecretField([key, value]: readonly [name: string, value: string]): boolean {
  return isSecret({ key, value: '' }) && (!plainWord.test(value) || exactName.test(key));
}

/** The values in the query of a URL that are secret by their names. */
export function querySecrets(url: string): string[] {
  const [target = ''] = url.split('#', 1);
  const fields = new URLSearchParams(target.includes('?') ? target.slice(target.indexOf('?')) : '');
  return [...fields].filter(isSecretField).map(([, value]) => value);
}

/** Whether a value is so long and random that it cannot occur in a word or code by chance. */
function isRandom(value: string): boolean {
  return value.length >= 20 || (value.length >= 8 && /[^\p{L}_]/u.test(value));
}

/**
 * Whether a code is a secret or contains one that is long and random. Programs read codes, so a code is replaced as a whole or
 * not at all (rule E5).
 */
export function showsSecret(code: string, secrets: Iterable<string>): boolean {
  const trimmed = Array.from(secrets, (secret) => secret.trim()).filter(({ length }) => length >= shortestSecret);
  return trimmed.includes(code) || createRedact(trimmed.filter(isRandom))(code) !== code;
}

/**
 * Redacts secrets in text: as they are, as JSON, XML and URLs write them, even three times over, and inside `Basic`
 * credentials. Values shorter than four characters stay, and words are redacted only as whole words.
 *
 * @example
 * createRedact(['s3cr3t/1'])('GET /?t=s3cr3t%2F1 failed') // 'GET /?t=[redacted] failed'
 */
export function createRedact(values: Iterable<string>, mark = redactedMark): Redact {
  const texts = Array.from(values).filter((value) => typeof value === 'string');
  const secrets = texts.map((value) => value.trim()).filter(({ length }) => length >= shortestSecret);
  if (secrets.length === 0) return (text) => text;
  // A form writes a space as "+".
  const forms = [...new Set(secrets.flatMap((secret) => [fold(secret), fold(secret.replaceAll(' ', '+'))]))];
  const parts = forms.map(unescapedPart);
  return (text) => {
    // Nearly every text is free of secrets, and this is far cheaper than to unescape it.
    const folded = fold(text);
    if (!folded.includes('basic') && !parts.some((part) => folded.includes(part))) return text;
    return replaceSecrets(replaceBasic(text, forms, mark), forms, mark);
  };
}

/** The text in small letters, of the same length. */
function fold(text: string): string {
  const folded = text.toLowerCase();
  return folded.length === text.length ? folded : text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
}

/** The longest part that every writer leaves as it is. */
function unescapedPart(secret: string): string {
  return secret.split(/[^a-z0-9]+/).reduce((longest, part) => (part.length > longest.length ? part : longest));
}

function replaceBasic(text: string, secrets: readonly string[], mark: string): string {
  return text.replace(/\b(Basic\s+)([A-Za-z0-9+/_-]{4,}={0,2})/gi, (match, scheme: string, credentials: string) =>
    find(secrets, decodeBase64(credentials) ?? '').length === 0 ? match : scheme + mark,
  );
}

type Range = readonly [start: number, end: number];

function replaceSecrets(text: string, secrets: readonly string[], mark: string): string {
  const found: Range[] = [];
  for (const { plain, origin } of readings(text)) {
    for (const [start, end] of find(secrets, plain)) found.push([origin(start), origin(end)]);
  }
  found.sort(([one], [other]) => one - other);
  let redacted = '';
  let last = 0;
  for (const [start, end] of found) {
    if (start >= last) redacted += text.slice(last, start) + mark;
    last = Math.max(last, end);
  }
  return redacted + text.slice(last);
}

/** Where secrets are. Without a regular expression: one for a very long secret would be too large. */
function find(secrets: readonly string[], text: string): Range[] {
  const folded = fold(text);
  return secrets.flatMap((secret) => {
    const found: Range[] = [];
    let end = 0;
    for (let start = folded.indexOf(secret); start >= 0; start = folded.indexOf(secret, end)) {
      end = start + secret.length;
      const isWhole = !isLetterOrDigit(folded[start - 1]) && !isLetterOrDigit(folded[end]);
      if (isWhole || isRandom(secret)) found.push([start, end]);
      else end = start + 1;
    }
    return found;
  });
}

const isLetterOrDigit = (character = '') => /[a-z0-9]/.test(character);

/** Request headers that carry credentials, whatever the connector (rule E5). */
export const credentialHeaders: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key'];

/** A header's value and its secret parts: the credentials after the scheme, the password, each cookie. */
export function headerParts(name: string, value: string): string[] {
  if (name.toLowerCase() === 'cookie') {
    return [value, ...value.split(';', mostSecrets).map((pair) => pair.slice(pair.indexOf('=') + 1).trim())];
  }
  const [, scheme, credentials] = /^([A-Za-z][A-Za-z0-9-]*)\s+(\S.*)$/.exec(value) ?? [];
  if (scheme === undefined || credentials === undefined) return [value];
  const parts = [value, credentials];
  const decoded = scheme.toLowerCase() === 'basic' ? decodeBase64(credentials) : undefined;
  if (decoded !== undefined) parts.push(decoded, decoded.slice(decoded.indexOf(':') + 1));
  return parts;
}

/** Neither white space nor padding matters. An exception for each of very many wrong texts would take long. */
function decodeBase64(text: string): string | undefined {
  const digits = text
    .replace(/\s/g, '')
    .replace(/={1,2}$/, '')
    .replaceAll('-', '+')
    .replaceAll('_', '/');
  if (digits.length % 4 === 1 || /[^A-Za-z0-9+/]/.test(digits)) return undefined;
  return new TextDecoder().decode(Uint8Array.from(atob(digits), (character) => character.charCodeAt(0)));
}
