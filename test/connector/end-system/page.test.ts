import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { presets } from '../../../src/connector/end-system/presets/index.js';
import { describePresets, listPresets } from './describe-presets.js';
import { replySets } from './replies/index.js';

const docs = path.resolve(import.meta.dirname, '../../../docs');
const file = path.join(docs, 'preset-list.md');
const page = readFileSync(file, 'utf8');

/** The page with what the presets say, each part between its marks. */
const written = (['list', 'sections'] as const).reduce((text, part) => {
  const made = { list: () => listPresets(replySets), sections: () => describePresets(presets, replySets) }[part]();
  const between = new RegExp(`(<!-- the ${part}: made by a test -->\\n\\n).*?(\\n\\n<!-- end of the ${part} -->)`, 's');
  expect(text).toMatch(between);
  return text.replace(between, (_all, start, end) => `${start}${made}${end}`);
}, page);

describe('docs/preset-list.md', () => {
  test('has what the presets say; `npx vitest run test/connector/end-system/page -u` writes it', async () => {
    await expect(written).toMatchFileSnapshot(file);
  });

  test('docs/presets.md names the presets that know where a quota is (W8)', () => {
    const known = Object.entries(presets).flatMap(([name, { quota }]) => (quota === undefined ? [] : [`\`${name}\``]));
    const guide = readFileSync(path.join(docs, 'presets.md'), 'utf8');
    expect(guide).toContain(`and others with these presets: ${known.join(', ')}.`);
  });

  test('has every preset once, and says what nobody has checked (control)', () => {
    for (const [name, { product, checkedAgainst }] of Object.entries(replySets)) {
      const lines = written.split('\n').filter((line) => line.includes(`[${product}](#${name})`));
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatch(new RegExp(`^- \\*\\*${checkedAgainst}\\*\\*: `));
      expect(written.split(`<a id="${name}"></a>`)).toHaveLength(2);
    }
  });

  test('says of each recorded reply when and where', () => {
    const recorded = Object.values(replySets).flatMap(({ replies }) =>
      replies.flatMap(({ recorded }) => recorded ?? []),
    );
    expect(recorded.length).toBeGreaterThan(10);
    for (const { from, on } of recorded) {
      if (on !== undefined) expect(new Date(`${on}T00:00:00Z`).toISOString().slice(0, 10)).toBe(on);
      expect(written).toContain(
        from.startsWith('https:') ? `[a report](${from}), ${on ?? 'day unknown'}` : `${from}, ${on}`,
      );
    }
  });
});
