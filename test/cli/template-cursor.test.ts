// The cursors of a generated project: what one page writes, the next page has to read, whatever ids the product has.
import { describe, expect, it } from 'vitest';
import { cursor, isAfter, toCursor } from '../../templates/shared/src/cursor.js';

const updatedAt = '2026-11-22T18:30:00.000Z';
const at = (id: string) => ({ id, updatedAt });

describe.each([
  ['numbers', ['9', '10', '100000000000000']],
  ['numbers beyond what JavaScript counts', ['9007199254740993', '9007199254740994']],
  ['keys', ['A-0007', 'A-0010', 'B-0001']],
  ['UUIDs', ['0b5c1f5e-0d1c-4d3a-9a53-2f6f0a0f6c11', 'f47ac10b-58cc-4372-a567-0e02b2c3d479']],
  ['paths with other letters', ['Büro/Lampe', 'Flur/Ständer']],
])('%s', (_what, ids) => {
  it('come back from a cursor', () => {
    for (const id of ids) expect(cursor.parse(toCursor(at(id)))).toEqual(at(id));
  });

  it('are after those before them, and only those', () => {
    for (const [one, id] of ids.entries()) {
      for (const [other, before] of ids.entries())
        expect([id, before, isAfter(at(id), at(before))]).toEqual([id, before, one > other]);
    }
  });
});

it('a later change counts before the id', () => {
  expect(isAfter({ id: 'A-0001', updatedAt: '2026-11-22T18:30:01+00:00' }, at('A-0007'))).toBe(true);
  expect(isAfter({ id: 'A-0009', updatedAt: '2026-11-22T18:29:59+00:00' }, at('A-0007'))).toBe(false);
});

it.each(['bm9uZQ', '', Buffer.from('["2026-11-22T18:30:00Z",""]').toString('base64url')])('%j is none', (text) => {
  expect(cursor.safeParse(text).error?.issues[0]?.message).toBe('is not a cursor of this connector');
});
