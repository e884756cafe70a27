import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runtimes, supportTable } from '../../scripts/runtimes/table.js';

it('README names the runtimes that `npm run test:runtimes` tries, and what it proves there', () => {
  expect(readFileSync('README.md', 'utf8')).toContain(`\n${supportTable()}\n`);
});

it('the oldest Node that is tried is the oldest that the package allows', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  expect(runtimes[0]?.specifier).toBe(`node@${engines.node.replace('>=', '')}.0`);
});
