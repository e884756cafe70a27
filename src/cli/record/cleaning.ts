import { createRedact, hasSecretName, isObject, type Redact, redactedMark } from '../../internal/index.js';
import type { RecordedBody } from '../../testing/index.js';
import { jsonOf, maskedText, secretNames, withoutParameters } from './secrets-in-texts.js';

/** JWTs, private keys, tokens of GitHub, GitLab, Slack, Stripe, AWS and Azure (SAS), passwords in URLs, credentials with a digit. */
const tokenForm =
  /[?&]sig=[\w%+/-]{20}|\b(?:Bearer|Basic)\s+(?=[A-Za-z.~_+/-]{0,60}\d)[\w.~+/-]{8}|\beyJ[\w-]{8,2000}\.eyJ[\w-]{8,}|-----BEGIN [A-Z ]*PRIVATE KEY|\b(?:gh[opsu]_|github_pat_|glpat-|xox[abpr]-|[sr]k_live_|AKIA)[\w-]{10,}|:\/\/[^\s/:@]+:[^\s/@]+@/;

export interface Judgment {
  /** Members of JSON and headers whose texts and numbers are taken out as well, at any depth; `text` is a whole body. */
  mask: readonly string[];
  /** Names that sound like secrets and are none. */
  keep: readonly string[];
}

/** The member or header for whose name all in it is masked. */
interface Hiding {
  place: string;
  /** By `--mask`, not for the sound of its name. */
  isAsked: boolean;
}

/** Takes secrets out of the parts of a recording, and notes where: never the secret. */
export class Cleaning {
  /** Where something was masked for the sound of its name. */
  readonly masked = new Set<string>();
  /** Where a secret is left, or something that looks like one. */
  readonly left = new Set<string>();
  readonly #redact: Redact;
  readonly #judgment: Judgment;

  constructor(secrets: readonly string[], judgment: Judgment) {
    this.#redact = redactEncoded(createRedact(secrets));
    this.#judgment = judgment;
  }

  /** Members of JSON, or headers; `names` are to be masked as well. */
  members(members: object, place: string, names: readonly string[] = [], outer?: Hiding): Record<string, unknown> {
    const entries = Object.entries(members).map(([name, member]) => {
      if (this.hasSecret(name)) this.left.add(`${place}, a name`);
      const inside = `${place}.${name}`;
      const isAsked = this.#judgment.mask.includes(name) || names.includes(name.toLowerCase());
      const isHidden = isAsked || (outer === undefined && this.#soundsSecret(name));
      return [name, this.#json(member, inside, isHidden ? { place: inside, isAsked } : outer)];
    });
    return Object.fromEntries(entries);
  }

  body({ json, text, base64 }: RecordedBody, place: string): RecordedBody {
    if (json !== undefined) return { json: this.#json(json, `${place}.json`) };
    if (text !== undefined) return { text: this.#wholeText(text, `${place}.text`) };
    if (base64 === undefined) return {};
    // Bytes cannot be masked.
    const bytes = Buffer.from(base64, 'base64');
    const characters = bytes.toString('latin1').replaceAll('\0', ''); // as far as UTF-16 is ASCII
    const names = secretNames(characters, this.#soundsSecret);
    const isLeft = names.size > 0 || this.hasSecret(bytes.toString()) || this.hasSecret(characters);
    if (isLeft) this.left.add(`${place}.base64${quoted(names)}`);
    return { base64 };
  }

  /** A text, of which only values and what is JSON can be masked. */
  text(text: string, place: string): string {
    const names = new Set<string>();
    const isSecret = (name: string, value: string) => this.#soundsSecret(name) && !isHarmless(value);
    const clean =
      maskedText(text, (json) => this.#json(json, place)) ?? withoutParameters(this.#redact(text), isSecret, names);
    if (names.size > 0) this.masked.add(`${place}${quoted(names)}`);
    if (this.hasSecret(clean)) this.left.add(place);
    return clean;
  }

  hasSecret(text: string): boolean {
    const plain = text.replaceAll('\0', ''); // UTF-16 that was read as UTF-8
    return this.#redact(plain) !== plain || tokenForm.test(plain);
  }

  #json(value: unknown, place: string, hiding?: Hiding): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#json(item, `${place}[]`, hiding));
    if (isObject(value)) return this.members(value, place, [], hiding);
    if (typeof value !== 'string' && typeof value !== 'number') return value;
    const redacted = this.#redact(String(value));
    const isHidden = hiding !== undefined && (hiding.isAsked || !isHarmless(String(value)));
    if (isHidden && !hiding.isAsked && redacted !== redactedMark) this.masked.add(hiding.place);
    if (typeof value === 'number') return isHidden || redacted !== String(value) ? 0 : value;
    return isHidden ? blank(value) : this.text(value, place);
  }

  /** Of a body that is not JSON, nothing says where a secret ends. */
  #wholeText(text: string, place: string): string {
    const { mask } = this.#judgment;
    if (mask.includes('text')) return blank(text);
    const isJson = jsonOf(text) !== undefined;
    const names = isJson ? new Set([]) : secretNames(text, (name) => mask.includes(name) || this.#soundsSecret(name));
    if (names.size === 0) return this.text(text, place);
    this.masked.add(`${place}${quoted(names)}`);
    return redactedMark;
  }

  #soundsSecret = (name: string) => hasSecretName(name) && !this.#judgment.keep.includes(name);
}

const blank = (text: string) => text && redactedMark;

const isHarmless = (text: string) => /^\d{0,5}$/.test(text);

function quoted(names: ReadonlySet<string>): string {
  const some = Array.from(names, (name) => `"${name.slice(0, 60)}"`).slice(0, 3);
  return some.length === 0 ? '' : ` (${some.join(', ')})`;
}

/** Redacts also what is base64 or hexadecimal of a text with a secret. */
function redactEncoded(redact: Redact): Redact {
  const hasSecret = (bytes: Buffer) => {
    const plain = bytes.toString().replaceAll('\0', ''); // as UTF-16 has them
    return redact(plain) !== plain;
  };
  return (text) =>
    redact(text).replace(/[\w+/-]{6,}={0,2}/g, (run) => (decodings(run).some(hasSecret) ? redactedMark : run));
}

/** Base64 may begin anywhere in a run: the segments of a path look like more of it. */
function decodings(run: string): Buffer[] {
  const base64 = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64'));
  const hex = (run.match(/[\da-f]{8,}/gi) ?? []).map((digits) => Buffer.from(digits, 'hex'));
  return [...base64, ...hex];
}
