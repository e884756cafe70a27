import { isObject, parseJson, redactedMark } from '../../internal/index.js';
import { secretKey } from '../parameters.js';
import { namedValues } from './named-values.js';

/** Values of which nothing is to be hidden in JSON either. */
const harmless = /^(?:\d{1,5}|true|false|null)[ \t]*(?:[,;&<>})\]]|$)/;

const isRedacted = (head: string) => /^(?:(?:Basic|Bearer)\s+)?\[redacted\](?=[\s,;&"'<>)}\]]|$)/i.test(head);

/** The text with what `mask` makes of its JSON, or else without the values that have one of the names, as far as it is clear where they end. */
export function maskedText(text: string, names: readonly string[], mask: (json: unknown) => unknown): string {
  const parts = jsonParts(text);
  if (parts === undefined) return withoutValues(text, names);
  const masked = parts.map(({ written, json }) => {
    const after = JSON.stringify(mask(json));
    if (json === undefined || after === JSON.stringify(json)) return written;
    return (written.startsWith('\ufeff') ? '\ufeff' : '') + after + (written.endsWith('\r') ? '\r' : '');
  });
  return masked.join('\n');
}

/** The JSON of a text that is JSON, or whose lines all are. */
export function jsonOf(text: string): unknown {
  const parts = jsonParts(text);
  return parts?.length === 1 ? parts[0]?.json : parts?.map(({ json }) => json);
}

/** The names in a text that is not JSON that are to be masked or sound like secrets, where their values are still there. */
export function secretNames(text: string, mask: readonly string[], keep: readonly string[]): Set<string> {
  const names = new Set<string>();
  for (const { name, head, isNested } of namedValues(text)) {
    if (head === '' || isRedacted(head) || keep.includes(name)) continue;
    if (mask.includes(name) || (secretKey.test(name) && !isNested && !harmless.test(head))) names.add(name);
  }
  return names;
}

function withoutValues(text: string, names: readonly string[]): string {
  if (names.length === 0) return text;
  const values = [...namedValues(text)]
    .filter(({ name, head, isWhole }) => isWhole && head !== '' && names.includes(name))
    .sort((one, other) => one.start - other.start);
  let masked = '';
  let done = 0;
  for (const { start, end } of values) {
    if (start >= done) masked += text.slice(done, start) + redactedMark; // else it is in what was replaced
    done = Math.max(done, end);
  }
  return masked + text.slice(done);
}

function jsonParts(text: string): { written: string; json: unknown }[] | undefined {
  const toPart = (written: string) => {
    const json = /^\s*$/.test(written) ? undefined : parseJson(written.replace(/^\ufeff/, ''));
    return { written, json };
  };
  const whole = toPart(text);
  if (hasMembers(whole.json)) return [whole];
  if (whole.json !== undefined) return undefined;
  const parts: { written: string; json: unknown }[] = [];
  for (const line of text.split('\n')) {
    const part = toPart(line);
    if (line.trim() !== '' && !hasMembers(part.json)) return undefined;
    parts.push(part);
  }
  return parts;
}

const hasMembers = (json: unknown) => isObject(json) || Array.isArray(json);
