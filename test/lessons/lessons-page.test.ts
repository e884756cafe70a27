import { describe, expect, it } from 'vitest';
import { hasTest, read } from '../helpers/has-test.js';

/** The rows of the table: lesson, rules, file and title of the test. */
const rows = [...read('test/lessons/README.md').matchAll(/^\| (\d*) ?\| (.*?) ?\| (.*?) \| `(.+?)`: (.+) \|$/gm)].map(
  ([, number = '', lesson = '', rules = '', file = '', title = '']) => ({ number, lesson, rules, file, title }),
);

describe('test/lessons/README.md', () => {
  it('has all lessons, numbered without a gap', () => {
    const numbers = rows.flatMap(({ number }) => (number === '' ? [] : Number(number)));
    expect(numbers).toEqual(Array.from({ length: 28 }, (_, index) => index + 1));
    expect(rows.every(({ number, lesson }) => (number === '') === (lesson === ''))).toBe(true);
  });

  it.each(rows)('$file has the test "$title"', ({ file, title }) => {
    expect(hasTest(file, title)).toBe(true);
  });

  it('leads to rules that are there', () => {
    const anchors = [...read('test/lessons/README.md').matchAll(/rules\.md#(\w+)/g)].map((match) => match[1]);
    expect(anchors.length).toBeGreaterThan(rows.length - 5);
    for (const anchor of anchors) expect(read('docs/rules.md')).toContain(`id="${anchor}"`);
  });

  it('the check can fail (control)', () => {
    expect(hasTest('test/client/gate.test.ts', 'a test that nobody has written')).toBe(false);
    expect(hasTest('test/client/no-such-file.test.ts', 'budgets (G5)')).toBe(false);
  });
});
