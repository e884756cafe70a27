import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import * as client from 'concordat/client';
import { expect, it } from 'vitest';
import { examine, formatTrace, formatViolations } from './index.js';

/** Schedules with which a long run once found a defect, made as small as they go. */
const folder = resolve(import.meta.dirname, 'found');

it.each(readdirSync(folder))('%s breaks no rule any more', async (file) => {
  const { trace, violations } = await examine(JSON.parse(readFileSync(resolve(folder, file), 'utf8')), client);
  expect(violations, `${formatViolations(violations)}\n${formatTrace(trace)}`).toEqual([]);
});
