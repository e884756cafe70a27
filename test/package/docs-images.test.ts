import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { imagesShown } from '../helpers/docs-images.js';

const folder = path.resolve(import.meta.dirname, '../../docs/images');

test('docs/images has what the pages show and nothing else, under 1.5 MB together', () => {
  const files = readdirSync(folder);
  expect([...imagesShown()].sort()).toEqual(files.sort());
  const bytes = files.reduce((sum, file) => sum + statSync(path.join(folder, file)).size, 0);
  expect(bytes).toBeLessThan(1_500_000);
});
