/** A fenced code block: its language, the words after it, and what it holds. */
export interface Block {
  file: string;
  line: number;
  language: string;
  /** `name=value` or a bare `name` (then ''). */
  attributes: Record<string, string>;
  text: string;
}

/** The fenced blocks of a page, in order. */
export function readBlocks(file: string, markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  for (const [index, line] of markdown.split('\n').entries()) {
    const fence = /^```(\S*)\s*(.*)$/.exec(line);
    if (open === undefined && fence) {
      open = { file, line: index + 1, language: fence[1] ?? '', attributes: readAttributes(fence[2] ?? ''), text: '' };
    } else if (open !== undefined && line.startsWith('```')) {
      blocks.push(open);
      open = undefined;
    } else if (open !== undefined) {
      open.text += `${line}\n`;
    }
  }
  if (open !== undefined) throw new Error(`${file}:${open.line}: the code block is not closed`);
  return blocks;
}

function readAttributes(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split(/\s+/)
      .filter((word) => word !== '')
      .map((word) => {
        const [name = '', value = ''] = word.split('=');
        return [name, value];
      }),
  );
}
