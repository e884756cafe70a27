import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { presets } from '../../../src/connector/end-system/presets/index.js';
import { describePresets } from './describe-presets.js';
import { replySets } from './replies/index.js';

const file = path.resolve(import.meta.dirname, '../../../docs/presets.md');
const page = readFileSync(file, 'utf8');
const between = /(<!-- the table: made by a test -->\n\n).*?(\n\n<!-- end of the table -->)/s;

const table = describePresets(presets, replySets);

describe('docs/presets.md', () => {
  test('has the table that the presets make; `npx vitest run test/connector/end-system/page -u` writes it', async () => {
    expect(page).toMatch(between);
    await expect(page.replace(between, (_all, start, end) => `${start}${table}${end}`)).toMatchFileSnapshot(file);
  });

  test('names the presets that know where a quota is (W8)', () => {
    const known = Object.entries(presets).flatMap(([name, { quota }]) => (quota === undefined ? [] : [`\`${name}\``]));
    expect(page).toContain(`and others with these presets: ${known.join(', ')}.`);
  });

  test('the table has every preset once, and says what nobody has checked (control)', () => {
    for (const [name, { product, checkedAgainst }] of Object.entries(replySets)) {
      const rows = table.split('\n').filter((line) => line.startsWith(`| ${product} | \`${name}\` |`));
      expect(rows).toHaveLength(1);
      expect(rows[0]).toMatch(new RegExp(`\\| ${checkedAgainst} \\|$`));
    }
  });
});
