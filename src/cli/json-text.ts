import { printableJson } from '../internal/index.js';

/**
 * Valid JSON as `JSON.stringify(…, undefined, 2)` prints it, except that every number stays as it was written, and that
 * nothing steers a terminal.
 */
export function indentJson(text: string): string {
  const parts: string[] = [];
  let newLine = '\n';
  let before = '';
  for (const token of tokensOf(text)) {
    const closes = token === ']' || token === '}';
    const isFirst = before === '[' || before === '{';
    if (closes) newLine = newLine.slice(0, -2);
    if (before === ',' || isFirst !== closes) parts.push(newLine);
    parts.push(printedToken(token));
    if (token === '[' || token === '{') newLine += '  ';
    before = token;
  }
  return parts.join('');
}

/** Whether `JSON.parse` keeps every number of valid JSON: up to 15 digits are exact, and more if they come back as they were. */
export function keepsNumbers(text: string): boolean {
  for (const token of tokensOf(text)) {
    if (!/^[-\d]/.test(token) || String(Number(token)) === token) continue;
    const [digits = ''] = token.split(/e/i);
    if (digits.replace(/[-.]/g, '').length > 15 || !Number.isFinite(Number(token))) return false;
  }
  return true;
}

function printedToken(token: string): string {
  if (token === ':') return ': ';
  // Connectors that write ASCII alone escape every other letter.
  return token.startsWith('"') ? printableJson(JSON.stringify(JSON.parse(token))) : token;
}

function* tokensOf(text: string): Generator<string> {
  const starts = /["[\]{},:]|[^\s"[\]{},:]+/g;
  for (let start = starts.exec(text); start !== null; start = starts.exec(text)) {
    if (start[0] === '"') starts.lastIndex = endOfString(text, start.index);
    yield text.slice(start.index, starts.lastIndex);
  }
}

/** Not a regular expression, which overflows the stack at a string of many megabytes. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
