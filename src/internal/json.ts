/** Parses JSON; `undefined` when the text is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const code = (character: string) => character.charCodeAt(0);
const [quote, backslash] = [code('"'), code('\\')];
const [list, object, endOfList, endOfObject] = [code('['), code('{'), code(']'), code('}')];

/** Whether lists and objects of this JSON, in UTF-8, stand in each other more than so many levels deep (rule E8). */
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
