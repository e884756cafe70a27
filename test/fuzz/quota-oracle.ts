export interface Announced {
  readonly policies: readonly object[];
  readonly current: readonly object[];
}

/** A value as it was written, so that `"a"` and `a` differ from a number. */
interface Item {
  readonly name: string | undefined;
  readonly parameters: ReadonlyMap<string, string>;
}

const daySeconds = 86_400;

/**
 * What rules W8 and E8 make of the two headers; `undefined` where a value has forms that this reader does not know. It is
 * another way than the reader's: the values are kept as text, and the patterns are those of RFC 9651's grammar.
 */
export function announcedQuota(policy: string | undefined, current: string | undefined): Announced | undefined {
  const [policyItems, currentItems] = [readList(policy), readList(current)];
  if (policyItems === 'unknown' || currentItems === 'unknown') return undefined;
  const ofRequests = ({ parameters }: Item) => ['"requests"', 'requests', undefined].includes(parameters.get('qu'));
  const others = new Set(policyItems.filter((item) => !ofRequests(item)).map(({ name }) => name));
  return {
    policies: policyItems.filter(ofRequests).flatMap(({ name, parameters }) => {
      const [q, w] = [integer(parameters.get('q')), integer(parameters.get('w'))];
      return q >= 1 && w >= 1 && w <= daySeconds ? [{ name, limit: q, windowMs: w * 1000 }] : [];
    }),
    current: currentItems.flatMap(({ name, parameters }) => {
      const [r, t] = [integer(parameters.get('r')), parameters.has('t') ? integer(parameters.get('t')) : 0];
      if (others.has(name) || !(r >= 0) || !(t >= 0 && t <= daySeconds)) return [];
      return [{ name, left: r, resetMs: parameters.has('t') ? t * 1000 : undefined }];
    }),
  };
}

/** Its number; NaN for everything that is no whole one. */
function integer(text: string | undefined): number {
  return text !== undefined && /^-?\d+(?:\.0+)?$/.test(text)
    ? Math.abs(Number(text)) * (/^-.*[1-9]/.test(text) ? -1 : 1)
    : Number.NaN;
}

const string = String.raw`"(?:[ !#-\[\]-~]|\\["\\])*"`;
const number = String.raw`-?(?:\d{1,12}\.\d{1,3}|\d{1,15})(?![\d.])`;
const token = String.raw`[A-Za-z*][\w:/!#$%&'*+.^|~\x60-]*`;
const bare = `(?:${string}|${number}|${token}|\\?[01])`;
const key = '[a-z*][a-z0-9_.*-]*';
const item = new RegExp(`(${bare})((?:; *${key}(?:=${bare})?)*)`, 'y');
const parameter = new RegExp(`; *(${key})(?:=(${bare}))?`, 'g');

function readList(value: string | undefined): Item[] | 'unknown' {
  if (value === undefined || value.length > 1024) return [];
  if (/[@(]|%"|[=,\s]:/.test(` ${value}`)) return 'unknown'; // dates, inner lists, display strings, bytes
  const items: Item[] = [];
  let at = /^ */.exec(value)?.[0].length ?? 0;
  if (at === value.length) return [];
  for (;;) {
    item.lastIndex = at;
    const found = item.exec(value);
    if (found === null) return [];
    const [whole, name = '', parameters = ''] = found;
    items.push({
      name: nameOf(name),
      parameters: new Map([...parameters.matchAll(parameter)].map(([, key = '', text = '?1']) => [key, text])),
    });
    const after = /^[ \t]*(?:$|(,)[ \t]*(?!$))/.exec(value.slice(at + whole.length).replaceAll('\n', '\0'));
    if (after === null) return [];
    if (after[1] === undefined) break;
    at += whole.length + after[0].length;
    if (at >= value.length) return [];
  }
  return items.slice(0, 16).filter(({ name }) => name !== undefined);
}

function nameOf(text: string): string | undefined {
  if (text.startsWith('"')) return text.slice(1, -1).replaceAll(/\\(.)/g, '$1');
  return /^[A-Za-z*]/.test(text) ? text : undefined;
}
