import { createRedact, isObject, type Redact, redactedMark } from '../../internal/index.js';
import type { Recording } from '../../testing/index.js';
import { UsageError } from '../io.js';
import { secretKey } from '../parameters.js';
import type { Recorded } from './recorder.js';
import { jsonOf, maskedText, secretNames } from './secrets-in-texts.js';

/** Tokens that are known by their form: JWTs, private keys, those of GitHub, GitLab, Slack, Stripe and AWS, passwords in URLs. */
const tokenForm =
  /\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:gh[opsu]_|github_pat_|glpat-|xox[abpr]-|[sr]k_live_|AKIA)[\w-]{10,}|:\/\/[^\s/:@]+:[^\s/@]+@/;

/** The path of a body that was recorded as text. */
const bodyText = /^exchanges\[\d+\]\.(?:request|response)\.text$/;

const bytesOfBody = /^exchanges\[\d+\]\.response\.base64$/;

export interface Judgment {
  /** Members of JSON and headers whose texts and numbers are taken out as well, at any depth; `text` is a whole body. */
  mask: readonly string[];
  /** Names that sound like secrets and are none. */
  keep: readonly string[];
}

/**
 * The recording without the secrets that were sent and received, and without the members to mask.
 * @throws UsageError naming the places where a secret is left, or something that looks like one; never the secret.
 */
export function withoutSecrets({ recording, secrets }: Recorded, { mask, keep }: Judgment): Recording {
  const redact = createRedact(secrets);
  // JSON first: a config may hold a Date or another object.
  const redacted = JSON.parse(JSON.stringify(recording), (_name, value) =>
    typeof value === 'string' ? redact(value) : value,
  ) as Recording;
  const masked = <Part extends object>(part: Part) =>
    Object.fromEntries(Object.entries(part).map(([name, value]) => [name, maskedPart(name, value, mask)])) as Part;
  const exchanges = redacted.exchanges.map(({ request, response }) => ({
    request: masked(request),
    response: masked(response),
  }));
  const clean: Recording = { ...redacted, exchanges };
  const places = placesOf(clean, redact, { mask, keep });
  if (places.length === 0) return clean;
  const more = places.length > 8 ? ` and ${places.length - 8} more` : '';
  throw new UsageError(
    `Nothing was written: a secret may be left at ${places.slice(0, 8).join(', ')}${more}. ` +
      'Mask members of JSON with --mask NAME and other bodies with --mask text, or declare with --keep NAME that a name is harmless.',
  );
}

/** Where a secret may be left, with what sounds like one there, and the request. */
function placesOf(clean: Recording, redact: Redact, { mask, keep }: Judgment): string[] {
  const found = new Map<string, Set<string>>();
  for (const { path, key, text, isName } of textsOf(clean, '')) {
    const sounding = parametersOf(text).filter(([name = '', value = '']) => looksSecret(name, value, keep));
    const names = sounding.map(([name = '']) => name.slice(0, 60));
    if (!isName && looksSecret(key, text, keep)) names.push(key);
    if (bodyText.test(path) && jsonOf(text) === undefined) names.push(...secretNames(text, mask, keep));
    if (bytesOfBody.test(path)) names.push(...secretNames(charactersOf(text), [], keep)); // bytes cannot be masked
    const isLeft = redact(text) !== text || tokenForm.test(text) || isEncoded(text, redact);
    if (isLeft || names.length > 0) found.set(path, new Set([...(found.get(path) ?? []), ...names]));
  }
  return [...found].map(([path, names]) => {
    const { method, path: target = '' } = clean.exchanges[Number(/exchanges\[(\d+)\]/.exec(path)?.[1])]?.request ?? {};
    const request = method === undefined ? [] : [`${method} ${target.replace(/\?.*/, '')}`];
    const quoted = [...names].slice(0, 3).map((name) => `"${name}"`);
    const where = [quoted.join(', '), ...request].filter((part) => part !== '').join(' of ');
    return where === '' ? path : `${path} (${where})`;
  });
}

/** A member of a request or response, which are not masked themselves. */
function maskedPart(name: string, value: unknown, mask: readonly string[]): unknown {
  if (name === 'text' && typeof value === 'string' && !mask.includes(name)) {
    return maskedText(value, (json) => withoutMembers(json, mask));
  }
  if (name === 'text') return withoutMembers(value, mask, true);
  return name === 'json' || name === 'headers' ? withoutMembers(value, mask) : value;
}

/** Texts become a mark, and numbers 0, so that every type stays what it was. */
function withoutMembers(value: unknown, mask: readonly string[], isMasked = false): unknown {
  if (typeof value === 'string') return isMasked && value !== '' ? redactedMark : value;
  if (typeof value === 'number') return isMasked ? 0 : value;
  if (Array.isArray(value)) return value.map((item) => withoutMembers(item, mask, isMasked));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      withoutMembers(member, mask, isMasked || mask.includes(name)),
    ]),
  );
}

interface Text {
  path: string;
  /** The name of the member, also of one that holds an array. */
  key: string;
  text: string;
  /** Whether the text is a member's name, not its value. */
  isName: boolean;
}

function* textsOf(value: unknown, path: string, key = ''): Generator<Text> {
  if (typeof value === 'string' || typeof value === 'number') yield { path, key, text: String(value), isName: false };
  if (typeof value === 'string' && bodyText.test(path)) yield* textsOf(jsonOf(value), path);
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    const inside = Array.isArray(value) ? `${path}[${name}]` : path === '' ? name : `${path}.${name}`;
    if (!Array.isArray(value)) yield { path: `the name in ${path}`, key: '', text: name, isName: true };
    yield* textsOf(member, inside, Array.isArray(value) ? key : name);
  }
}

function looksSecret(key: string, text: string, keep: readonly string[]): boolean {
  return (
    secretKey.test(key) && !keep.includes(key) && text !== '' && !text.includes(redactedMark) && !/^\d{1,5}$/.test(text)
  );
}

/** Names and values as links and forms have them. */
function parametersOf(text: string): string[][] {
  return text.split(/[\s?&#"'<>]/).map((part) => part.split('=', 2));
}

/** Text in ISO 8859-1 or UTF-16, as far as it is ASCII. */
const charactersOf = (base64: string) => Buffer.from(base64, 'base64').toString('latin1').replaceAll('\0', '');

/** Whether a secret is in there as base64, as hexadecimal or in UTF-16. */
function isEncoded(text: string, redact: (text: string) => string): boolean {
  const decoded = [
    Buffer.from(text),
    ...(text.match(/[\w+/-]{6,}={0,2}/g) ?? []).map((run) => Buffer.from(run, 'base64')),
    ...(text.match(/[\da-f]{8,}/gi) ?? []).map((run) => Buffer.from(run, 'hex')),
  ].map((bytes) => bytes.toString('utf8').replaceAll('\0', ''));
  return decoded.some((plain) => redact(plain) !== plain);
}
