export const redactedMark = '[redacted]';

/** Shorter values are not redacted: without every "7" and "eu", a message would be unreadable. */
const shortestSecret = 4;

/** Random values are redacted anywhere, words only as whole words: `test` is part of "latest". */
const wordStart = '(?:(?<![a-z0-9])|(?<=%[0-9a-f]{2}|\\\\[bfnrt]))';
const wordEnd = '(?![a-z0-9])';

/** Text without the given values (rule E5). */
export type Redact = (text: string) => string;

const secretName = /pass|pwd|secret|token|credential|cookie|session|authorization|(?:api|access|private|auth)[-_]?key/i;

/** Whether a value is a secret: as marked, or, without a mark, judged by its name and value (rule E5). */
export function isSecret({ key, value, sensitive }: { key: string; value: string; sensitive?: unknown }): boolean {
  return typeof sensitive === 'boolean' ? sensitive : secretName.test(key) || isRandom(value);
}

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
 * Redacts secrets in text: as they are, as JSON and URLs write them, and inside `Basic` credentials. The longest goes first, so
 * that no part of it is left over. Values shorter than four characters stay, and words are redacted only as whole words.
 *
 * @example
 * createRedact(['s3cr3t/1'])('GET /?t=s3cr3t%2F1 failed') // 'GET /?t=[redacted] failed'
 */
export function createRedact(values: Iterable<string>): Redact {
  const needles = new Map<string, string>();
  for (const value of values) {
    if (typeof value !== 'string') continue;
    const secret = value.trim();
    if (secret.length >= shortestSecret) for (const form of writtenForms(secret)) needles.set(form, secret);
  }
  if (needles.size === 0) return (text) => text;
  const upperCased = Array.from(needles.keys(), (needle) => needle.toUpperCase());
  let redact: Redact | undefined;
  return (text) => {
    // Nearly every text is free of secrets, and a search is far cheaper than compiling a pattern.
    const upper = text.toUpperCase();
    if (!upper.includes('BASIC') && !upperCased.some((needle) => upper.includes(needle))) return text;
    redact ??= compile(needles);
    return redact(text);
  };
}

function compile(needles: ReadonlyMap<string, string>): Redact {
  const longestFirst = [...needles].sort(([one], [other]) => other.length - one.length);
  const pattern = longestFirst.map(([needle, secret]) => toPattern(needle, isRandom(secret))).join('|');
  const secret = new RegExp(pattern, 'gi');
  const containsSecret = new RegExp(pattern, 'i');
  return (text) =>
    text
      .replace(/\b(Basic\s+)([A-Za-z0-9+/_-]{4,}={0,2})/gi, (match, scheme: string, credentials: string) =>
        containsSecret.test(decodeBase64(credentials) ?? '') ? scheme + redactedMark : match,
      )
      .replace(secret, redactedMark);
}

function toPattern(needle: string, isAnywhere: boolean): string {
  const escaped = needle.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
  return isAnywhere ? escaped : wordStart + escaped + wordEnd;
}

const toEscape = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as JSON and URLs write it. */
export function writtenForms(value: string): Set<string> {
  const forms = new Set([value]);
  if (/^[\w.-]+$/.test(value)) return forms; // always written the same way
  const json = JSON.stringify(value).slice(1, -1);
  forms.add(json);
  // Other JSON writers: PHP escapes slashes, Go escapes <, > and &, Python everything that is not ASCII.
  forms.add(json.replaceAll('/', '\\/'));
  forms.add(json.replace(/[<>&]/g, toEscape));
  forms.add(json.replace(/[^\0-\x7f]/g, toEscape));
  try {
    const encoded = encodeURIComponent(value);
    forms.add(encoded);
    forms.add(encoded.replaceAll('%20', '+'));
    forms.add(new URLSearchParams([['', value]]).toString().slice(1));
  } catch {
    // A lone surrogate has no URL form.
  }
  return forms;
}

/** Request headers that carry credentials, whatever the connector (rule E5). */
export const credentialHeaders: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'x-api-key'];

/** A header's value and its secret parts: the credentials after the scheme, the password, each cookie. */
export function headerParts(name: string, value: string): string[] {
  if (name.toLowerCase() === 'cookie') {
    return [value, ...value.split(';').map((pair) => pair.slice(pair.indexOf('=') + 1).trim())];
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
