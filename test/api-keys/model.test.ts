import { describe, expect, test } from 'vitest';
import { databaseKinds } from './helpers/databases.js';
import { explore } from './model/explore.js';

describe.each(databaseKinds)('two processes on one $name database', (kind) => {
  test('answer as a model that is written from the rules alone (K1 to K24)', async () => {
    const { operations } = await explore(kind, Number(process.env.SEED ?? 1), Number(process.env.RUNS ?? 10));
    expect(operations).toBeGreaterThan(100);
  });
});
