/** Parses JSON; `undefined` when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object, and not an array. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash] = [code('"'), code('\\')];
const [list, object, endOfList, endOfObject] = [code('['), code('{'), code(']'), code('}')];

/** Whether arrays and objects in this JSON (UTF-8) are nested deeper than `levels` (rule E8). */
export function isNestedDeeper(json: Uint8Array, levels: number): boolean {
  if (json.length <= levels) return false;
  let depth = 0;
  let inString = false;
  for (let index = 0; index < json.length && depth <= levels; index++) {
    const byte = json[index];
    if (byte === quote) inString = !inString;
    else if (inString) index += byte === backslash ? 1 : 0;
    else if (byte === list || byte === object) depth++;
    else if (byte === endOfList || byte === endOfObject) depth--;
  }
  return depth > levels;
}
