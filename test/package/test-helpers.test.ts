import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import config from '../../vitest.config.js';

const setupFiles = config.test?.setupFiles as string[];
const hook = /^(?:before|after)(?:Each|All)\(/m;

it('no helper registers a hook as it loads: it loads once, so the hook would run for the first test file only', () => {
  expect(config.test?.isolate).toBe(false);
  expect(setupFiles.some((file) => hook.test(readFileSync(file, 'utf8')))).toBe(true); // control
  const helpers = readdirSync('test', { recursive: true })
    .map((file) => `test/${String(file).replaceAll('\\', '/')}`)
    .filter((file) => /(?<!\.test)\.ts$/.test(file) && !setupFiles.includes(file));
  expect(helpers.length).toBeGreaterThan(50);
  expect(helpers.filter((file) => hook.test(readFileSync(file, 'utf8')))).toEqual([]);
});
