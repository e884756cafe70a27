import { isObject, parseJson, redactedMark } from '../../internal/index.js';

/** A word before a quote, `=`, `:` or `>`: a name in forms, settings, YAML and XML. */
const name = /(?<![\p{L}\p{N}_.-])[\p{L}\p{N}_.-]+(?=\\?["']|&quot;|&#3[49];|[`*\])]{0,3}\s*[:=>])/gu;

/** A word of the first line: a name in CSV. */
const heading = /[\p{L}\p{N}_.-]+/gu;

/** Before "=", in links and forms. */
const parameter = /(?<![^\s?#"'<>=[\]])[^\s?#"'<>=[\]]+\]{0,3}=(?!=)/g;

/** The text with what `mask` makes of its JSON; `undefined` if it is not JSON. */
export function maskedText(text: string, mask: (json: unknown) => unknown): string | undefined {
  const masked = jsonParts(text)?.map(({ written, json }) => {
    const after = JSON.stringify(mask(json));
    if (json === undefined || after === JSON.stringify(json)) return written;
    return (written.startsWith('\ufeff') ? '\ufeff' : '') + after + (written.endsWith('\r') ? '\r' : '');
  });
  return masked?.join('\n');
}

/** The JSON of a text that is JSON, or whose lines all are. */
export function jsonOf(text: string): unknown {
  const parts = jsonParts(text);
  return parts?.length === 1 ? parts[0]?.json : parts?.map(({ json }) => json);
}

/** The names in a text that is not JSON that are secret. */
export function secretNames(text: string, isSecret: (name: string) => boolean): Set<string> {
  const [firstLine = ''] = text.split('\n', 1);
  const names = [...(text.match(name) ?? []), ...(firstLine.match(heading) ?? [])];
  return new Set(names.map((word) => word.replace(/^[.-]+/, '')).filter(isSecret));
}

/** The text with a mark for the values of secret parameters, up to the next "&", and their names in `names`. */
export function withoutParameters(
  text: string,
  isSecret: (name: string, value: string) => boolean,
  names: Set<string>,
): string {
  const parts = text.split('&').map((part) => {
    for (const { 0: match, index } of part.matchAll(parameter)) {
      const [key, start] = [match.replace(/\]{0,3}=$/, ''), index + match.length];
      const value = part.slice(start);
      if (value === redactedMark || !isSecret(key, value)) continue;
      names.add(key);
      return part.slice(0, start) + redactedMark;
    }
    return part;
  });
  return parts.join('&');
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
