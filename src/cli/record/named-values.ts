/** What follows a name in a text that is not JSON. */
export interface NamedValue {
  name: string;
  /** How the value begins; empty if there is none. */
  head: string;
  start: number;
  end: number;
  /** Whether the value surely ends at `end`, so that it can be replaced. */
  isWhole: boolean;
  /** Whether it consists of others, which have names of their own. */
  isNested: boolean;
}

const pair = /(?<![\p{L}\p{N}_.-])([\p{L}\p{N}_.-]+)(?:\\?["'`*\])]|&quot;|&#3[49];){0,3}\s*[:=]=?>?[ \t]*/gu;
const element = /<(?:[\p{L}\p{N}_.-]+:)?([\p{L}\p{N}_.-]+)((?:\s[^<>]*)?)>([^<]*)/gu;
const quoted = /(?:"((?:[^"\\]|\\.|"")*)"|'((?:[^'\\]|\\.|'')*)')(?=[\s,;&<>/?})\]]|$)/suy;
const nextLine = /\r?\n(?:[ \t]+|(?=- ))/uy;
const nestedLine = /\r?\n[ \t]{1,100}[\w."'-]{1,100}[ \t]{0,100}[:=]/uy;
const continued = /\r?\n[ \t]{1,100}(?![\w."'-]{0,100}[ \t]{0,100}[:=])[^\s<}\]#]/uy;

/**
 * `name=value` and `name: value`, attributes and elements of XML, and columns of CSV, each with its name. Where it is unclear how
 * far a value reaches, it reaches further.
 */
export function* namedValues(text: string): Generator<NamedValue> {
  yield* pairs(text, 0, /^\s*</.test(text));
  yield* elements(text);
  yield* columns(text);
}

/** @param isMarkup whether `<` ends a value */
function* pairs(text: string, offset: number, isMarkup: boolean): Generator<NamedValue> {
  const stop = isMarkup ? /[\r\n<]|&(?=[\w.%[\]-]+=)|$/gu : /[\r\n]|&(?=[\w.%[\]-]+=)|$/gu;
  let end = -1; // of the last value without quotes: names in it share it, or very many would be slow
  for (const match of text.matchAll(pair)) {
    const [all, written = ''] = match;
    const name = written.replace(/^[.-]+/, '');
    const start = match.index + all.length;
    const inQuotes = matchAt(quoted, text, start);
    if (inQuotes !== undefined) {
      const inner = inQuotes[1] ?? inQuotes[2] ?? '';
      const [from, to] = [offset + start + 1, offset + start + 1 + inner.length];
      const isWhole =
        !/^["'`]/.test(inner) && !/^[ \t]{0,100}[+\\]/.test(text.slice(to - offset + 1, to - offset + 102));
      yield { name, head: inner.slice(0, 60), start: from, end: to, isWhole, isNested: false };
      continue;
    }
    if (end < start) {
      stop.lastIndex = start;
      end = stop.exec(text)?.index ?? text.length;
    }
    const place = { name, start: offset + start, end: offset + end };
    let head = text.slice(start, Math.min(end, start + 60)).trim();
    const isBelow = head === '';
    if (isBelow) {
      const skipped = matchAt(nextLine, text, end);
      const below = skipped === undefined ? '' : text.slice(end + skipped[0].length, end + skipped[0].length + 60);
      head = isMarkup || below.startsWith('<') ? '' : below.trim();
    }
    const isNested = /^(?:\{|\[\s*(?:[[{]|$))/.test(head) || (isBelow && matchAt(nestedLine, text, end) !== undefined);
    const isWhole = !isBelow && !/^["'`[{(|>\\<-]/.test(head) && text[end - 1] !== '\\';
    yield { ...place, head, isNested, isWhole: isWhole && matchAt(continued, text, end) === undefined };
  }
}

function* elements(text: string): Generator<NamedValue> {
  for (const match of text.matchAll(element)) {
    const [all, name = '', attributes = '', content = ''] = match;
    const end = match.index + all.length;
    const start = end - content.length;
    const attributesAt = start - 1 - attributes.length;
    const found = [...pairs(attributes, attributesAt, false)];
    const given = found.filter((other) => /^(?:value|content)$/i.test(other.name) && other.head !== '');
    const declared = found.filter((other) => /^(?:name|key|type)$/i.test(other.name)).map(({ head }) => head);
    for (const value of given) for (const other of declared.slice(0, 3)) yield { ...value, name: other };
    if (attributes.endsWith('/') || /^(?:input|meta)$/i.test(name)) continue;
    const isBlank = content.trim() === '';
    const follows = text.slice(end, end + 2);
    const isNested = isBlank && /^<[^/!]/.test(follows);
    const isEmpty = isBlank && !isNested && follows !== '<!';
    const written = text.slice(start, start + 200).trim();
    const head = isEmpty ? '' : written.slice(0, 60);
    const isWhole = !isBlank && follows === '</';
    for (const other of [name, ...declared.slice(0, 3)]) yield { name: other, head, start, end, isWhole, isNested };
  }
}

function* columns(text: string): Generator<NamedValue> {
  const [header = '', ...rows] = text.split(/\r?\n/);
  for (const separator of [',', ';', '\t', '|']) {
    const names = header.split(separator).map(unquote);
    if (names.length < 2) continue;
    for (const row of rows) {
      if (row.trim() === '') continue;
      for (const [index, cell] of row.split(separator).slice(0, names.length).entries()) {
        const name = names[index] ?? '';
        if (/^[^\s:=]{1,60}(?: [^\s:=]{1,60}){0,2}$/.test(name))
          yield { name, head: unquote(cell).slice(0, 60), start: 0, end: 0, isWhole: false, isNested: false };
      }
    }
  }
}

const unquote = (cell: string) => cell.trim().replace(/^["']|["']$/g, '');

function matchAt(sticky: RegExp, text: string, index: number): RegExpExecArray | undefined {
  sticky.lastIndex = index;
  return sticky.exec(text) ?? undefined;
}
