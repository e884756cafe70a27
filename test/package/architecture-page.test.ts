import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { read } from '../helpers/has-test.js';

const root = path.resolve(import.meta.dirname, '../..');
const page = read('docs/architecture.md');
const rules = [...read('docs/rules.md').matchAll(/<a id="([a-z]\d+)">/g)].map(([, id = '']) => id);

/** The text of all code below a folder, but for this test. */
const codeIn = (folder: string) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name) && path.join(root, folder, name) !== import.meta.filename)
    .map((name) => read(path.join(folder, name)))
    .join('\n');
const cites = (text: string, id: string) => new RegExp(`\\b${id.toUpperCase()}\\b`).test(text);

describe('docs/architecture.md', () => {
  it.each(['src', 'test'])('is right that %s cites every rule', (folder) => {
    const text = codeIn(folder);
    expect(rules.filter((id) => !cites(text, id))).toEqual([]);
  });

  it.each([...page.matchAll(/\b((?:call|http|session|rate-limit)\/[\w-]+\.ts)\b/g)].map(([, name = '']) => name))(
    'names %s of the client, which exists',
    (name) => {
      expect(existsSync(path.join(root, 'src/client', name.replace(/^src\/client\//, '')))).toBe(true);
    },
  );

  it('a rule that is left out is noticed (control)', () => {
    expect(rules.filter((id) => !cites('S4, then (G10)', id))).toHaveLength(rules.length - 2);
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
