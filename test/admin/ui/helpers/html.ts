/** Just enough of HTML to read the administration's own pages: they are well-formed, and all text in them is escaped. */

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

function decode(text: string): string {
  return text.replace(/&(#39|[a-z]+);/g, (whole, name: string) => entities[name] ?? whole);
}

/** The text of a piece of HTML as it is read. */
export function textOf(html: string): string {
  return decode(html.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

/** What is inside every element of a name, outermost only where they nest. */
export function elements(html: string, name: string): string[] {
  return [...html.matchAll(new RegExp(`<${name}(?:\\s[^>]*)?>(.*?)</${name}>`, 'gs'))].map((match) => match[1] ?? '');
}

function attributes(tag: string): Map<string, string> {
  const pairs = [...tag.matchAll(/\s([a-zA-Z-]+)(?:="([^"]*)")?/g)];
  return new Map(pairs.map(([, name, value]) => [name ?? '', decode(value ?? '')]));
}

/** The opening tags of a name. */
export function tags(html: string, name: string): Map<string, string>[] {
  return [...html.matchAll(new RegExp(`<${name}(?=[\\s>])[^>]*>`, 'g'))].map(([tag]) => attributes(tag));
}

export interface Form {
  readonly method: string;
  readonly action: string;
  /** What a browser would send if nothing were changed. */
  readonly fields: URLSearchParams;
}

export function readForms(html: string): Form[] {
  return [...html.matchAll(/<form(?=[\s>])[^>]*>.*?<\/form>/gs)].map(([form]) => {
    const head = attributes(form.slice(0, form.indexOf('>')));
    const fields = new URLSearchParams();
    for (const input of tags(form, 'input')) {
      const name = input.get('name');
      const isChoice = ['radio', 'checkbox'].includes(input.get('type') ?? '');
      if (name === undefined || input.has('disabled') || (isChoice && !input.has('checked'))) continue;
      fields.append(name, input.get('value') ?? 'on');
    }
    for (const [, tag = '', text = ''] of form.matchAll(/<textarea((?=[\s>])[^>]*)>(.*?)<\/textarea>/gs)) {
      fields.append(attributes(tag).get('name') ?? '', decode(text));
    }
    return { method: head.get('method') ?? 'get', action: head.get('action') ?? '', fields };
  });
}

/** The rows of the first table: the text of each cell. */
export function readTable(html: string): { head: string[]; rows: string[][] } {
  const table = elements(html, 'table')[0] ?? '';
  return {
    head: elements(table, 'th').map(textOf),
    rows: elements(elements(table, 'tbody')[0] ?? '', 'tr').map((row) => elements(row, 'td').map(textOf)),
  };
}
