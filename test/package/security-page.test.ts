import { describe, expect, it } from 'vitest';
import { read } from '../helpers/has-test.js';

const page = read('docs/security.md');

/** The claims of the page, each with the tests that its line ends in. */
const claims = page
  .split('\n')
  .filter((line) => line.startsWith('- '))
  .map((line) => ({
    line,
    files: [...(/: (`test\/[^`]+`(?:, `test\/[^`]+`)*)$/.exec(line)?.[1] ?? '').matchAll(/`([^`]+)`/g)],
  }));

describe('docs/security.md', () => {
  it('claims nothing without a test', () => {
    expect(claims.length).toBeGreaterThan(35);
    expect(claims.filter(({ files }) => files.length === 0)).toEqual([]);
  });

  it.each([...new Set(claims.flatMap(({ files }) => files.map(([, file = '']) => file)))])(
    '%s is there, with tests',
    (file) => {
      expect(read(file)).toMatch(/\b(?:it|test)(?:\.|\()/);
    },
  );

  it('names the tests of every rule that it cites', () => {
    for (const { line, files } of claims) {
      const text = files.map(([, file = '']) => read(file)).join('\n');
      for (const [, rule = ''] of line.matchAll(/\[([A-Z]\d+)\]/g)) {
        expect.soft([line, new RegExp(`\\b${rule}\\b`).test(text)]).toEqual([line, true]);
      }
    }
  });

  it('leads to rules that are there', () => {
    const rules = read('docs/rules.md');
    const anchors = [...page.matchAll(/rules\.md#(\w+)/g)].map((match) => match[1]);
    expect(anchors.length).toBeGreaterThan(20);
    for (const anchor of anchors) expect(rules).toContain(`id="${anchor}"`);
  });
});
