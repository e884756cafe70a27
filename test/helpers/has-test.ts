import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');

/** A file of the project, as text. */
export const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');

/** Whether a file has a test, or a group of tests, with this very title. */
export function hasTest(file: string, title: string): boolean {
  if (!existsSync(path.join(root, file))) return false;
  const source = read(file);
  const quotes = [`'${title.replaceAll("'", "\\'")}'`, `"${title}"`, `\`${title}\``];
  return quotes.some((quoted) => source.includes(quoted));
}
