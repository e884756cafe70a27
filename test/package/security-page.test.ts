import { describe, expect, it } from 'vitest';
import { hasTest, read } from '../helpers/has-test.js';

const page = read('docs/security.md');

/** The rows of all tables, but for their heads. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:---|where|what \||threat)/.test(line))
  .map(
    (line) =>
      /^\| (?<what>.*?) ?\| (?<holds>.*?) ?\| `(?<file>test\/[^`]+)`: (?<title>.+) \|$/.exec(line)?.groups ??
      // A file of tests may be about this alone.
      /^\| .*?\| .*?\| `(?<file>test\/[^`]+)` \|$/.exec(line)?.groups ?? { line },
  );

describe('docs/security.md', () => {
  it('says nothing without a test', () => {
    expect(rows.length).toBeGreaterThan(50);
    expect(rows.filter(({ line }) => line !== undefined)).toEqual([]);
  });

  it.each(rows.filter(({ title }) => title !== undefined))(
    '$file has the test "$title"',
    ({ file = '', title = '' }) => {
      expect(hasTest(file, title)).toBe(true);
    },
  );

  it.each(rows.filter(({ title }) => title === undefined))('$file is there, with tests', ({ file = '' }) => {
    expect(read(file)).toMatch(/\b(?:it|test)(?:\.|\()/);
  });

  it('leads to rules that are there', () => {
    const rules = read('docs/rules.md');
    const anchors = [...page.matchAll(/rules\.md#(\w+)/g)].map((match) => match[1]);
    expect(anchors.length).toBeGreaterThan(20);
    for (const anchor of anchors) expect(rules).toContain(`id="${anchor}"`);
  });
});
