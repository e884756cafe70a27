import { isObject, parseJson } from '../../internal/index.js';
import { secretKey } from '../parameters.js';

/** A word before a quote, `=`, `:` or `>`: a name in forms, settings, YAML and XML. */
const name = /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]+(?=\\?["']|&quot;|&#3[49];|[`*\])]{0,3}\s*[:=>])/gu;

/** A word of the first line: a name in CSV. */
const heading = /[\p{L}\p{N}_.-]+/gu;

/** The text with what `mask` makes of its JSON. */
export function maskedText(text: string, mask: (json: unknown) => unknown): string {
  const masked = jsonParts(text)?.map(({ written, json }) => {
    const after = JSON.stringify(mask(json));
    if (json === undefined || after === JSON.stringify(json)) return written;
    return (written.startsWith('\ufeff') ? '\ufeff' : '') + after + (written.endsWith('\r') ? '\r' : '');
  });
  return masked?.join('\n') ?? text;
}

/** The JSON of a text that is JSON, or whose lines all are. */
export function jsonOf(text: string): unknown {
  const parts = jsonParts(text);
  return parts?.length === 1 ? parts[0]?.json : parts?.map(({ json }) => json);
}

/** The names in a text that is not JSON that are to be masked, which they cannot be there, or sound like secrets. */
export function secretNames(text: string, mask: readonly string[], keep: readonly string[]): Set<string> {
  const [firstLine = ''] = text.split('\n', 1);
  const names = [text.match(name) ?? [], firstLine.match(heading) ?? []]
    .flat()
    .map((word) => word.replace(/^[.-]+/, ''));
  return new Set(names.filter((word) => !keep.includes(word) && (mask.includes(word) || secretKey.test(word))));
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
