import { existsSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../helpers/has-test.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = read('docs/architecture.md');
const rules = [...read('docs/rules.md').matchAll(/<a id="([a-z]\d+)">/g)].map(([, id = '']) => id);

/** The ids that a text names, spelled out: `E1–E3` is three. */
function idsIn(text: string): string[] {
  const ranges = text.replaceAll(/\]\(rules\.md#\w+\)/g, '').matchAll(/\[([A-Z])(\d+)(?:–\[[A-Z](\d+))?/g);
  return [...ranges].flatMap(([, letter = '', first, last = first]) =>
    Array.from({ length: Number(last) - Number(first) + 1 }, (_, index) =>
      `${letter}${Number(first) + index}`.toLowerCase(),
    ),
  );
}

const table = page.split('\n').filter((line) => /^\| \[[A-Z]\d+\]/.test(line));

describe('docs/architecture.md', () => {
  it('says of every rule where it is decided', () => {
    expect(table.flatMap(idsIn).sort()).toEqual(rules.toSorted());
  });

  it.each([...page.matchAll(/\b((?:call|http|session|rate-limit)\/[\w-]+\.ts)\b/g)].map(([, name = '']) => name))(
    'names %s of the client, which exists',
    (name) => {
      expect(existsSync(path.join(root, 'src/client', name.replace(/^src\/client\//, '')))).toBe(true);
    },
  );

  it('a rule that is left out is noticed (control)', () => {
    expect(idsIn('| [K7](rules.md#k7), [K15](rules.md#k15)–[K17](rules.md#k17) |')).toEqual([
      'k7',
      'k15',
      'k16',
      'k17',
    ]);
    expect(rules.length).toBeGreaterThan(50);
  });
});

/** Files and folders that a page names; `PRODUCT.ts` stands for any. */
const pathsIn = (text: string) =>
  [...text.matchAll(/`((?:src|test|templates|examples|scripts|docs)(?:\/[\w.-]+)*)\/?[` ]/g)]
    .map(([, name = '']) => name)
    .filter((name) => !/\/[A-Z]+\./.test(name));

describe.each(['docs/architecture.md', 'CONTRIBUTING.md', 'docs/proofs.md'])('%s', (name) => {
  it.each(pathsIn(read(name)))('names %s, which exists', (file) => {
    expect(existsSync(path.join(root, file))).toBe(true);
  });
});
