/**
 * Writes what `JSON.stringify` writes, and refuses what it would change (rule D1): after a failed `Number(…)` a `null` would
 * replace a field, and a promise that nobody awaited would be `{}`.
 *
 * @throws TypeError that names the value.
 */
export function toJson(json: unknown): string {
  let text: string | undefined;
  try {
    text = JSON.stringify(json, refuseLoss);
  } catch (cause) {
    throw new TypeError(`\`json\` cannot be written as JSON: ${(cause as Error).message}`, { cause });
  }
  if (text === undefined) throw new TypeError(`\`json\` cannot be written as JSON: it is a ${typeof json}.`);
  return text;
}

/** `value` is what `toJSON` has made of the member called `name`. */
function refuseLoss(this: Record<string, unknown>, name: string, value: unknown): unknown {
  const lost = Array.isArray(this) && isLeftOut(value) ? describe(value) : whatIsLost(value, this[name]);
  if (lost !== undefined) throw new TypeError(name === '' ? `it is ${lost}.` : `${JSON.stringify(name)} is ${lost}.`);
  return value;
}

/** What `JSON.stringify` writes no member for; in an array it writes `null`. */
const isLeftOut = (value: unknown) => value === undefined || typeof value === 'function' || typeof value === 'symbol';

const describe = (value: unknown) => (value === undefined ? 'undefined' : `a ${typeof value}`);

function whatIsLost(value: unknown, original: unknown): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : String(value);
  if (value === null) return original instanceof Date ? 'an invalid Date' : undefined;
  if (typeof value !== 'object' || Array.isArray(value)) return undefined;
  const kind = Object.prototype.toString.call(value).slice(8, -1);
  if (Object.keys(value).length > 0 && !ArrayBuffer.isView(value)) return undefined;
  return written.includes(kind) ? undefined : `an object of type ${kind}`;
}

/** The kinds of objects that are written as they are though they have no members. Any other would become `{}`; bytes, `{"0":1}`. */
const written = ['Object', 'Number', 'String', 'Boolean', 'BigInt'];
