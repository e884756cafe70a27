import { describe, expect, it } from 'vitest';
import { currentHeader, formatCurrent, formatPolicy, parseQuota, policyHeader } from '../../src/contract/index.js';

const policies = (policy: string | null) => parseQuota({ policy }).policies;
const current = (value: string | null, policy?: string) => parseQuota({ current: value, policy }).current;

describe('the examples of the draft are read (W8)', () => {
  it('in the two headers of the draft', () => {
    expect([policyHeader, currentHeader]).toEqual(['RateLimit-Policy', 'RateLimit']);
  });

  it.each([
    ['"default";q=100;w=10', [{ name: 'default', limit: 100, windowMs: 10_000 }]],
    [
      '"permin";q=50;w=60,"perhr";q=1000;w=3600',
      [
        { name: 'permin', limit: 50, windowMs: 60_000 },
        { name: 'perhr', limit: 1000, windowMs: 3_600_000 },
      ],
    ],
    ['"peruser";q=100;w=60;pk=:cHsdsRa894==:', [{ name: 'peruser', limit: 100, windowMs: 60_000 }]],
    ['"requests";q=5;w=1;qu="requests"', [{ name: 'requests', limit: 5, windowMs: 1000 }]],
    ['"peruser";q=65535;qu="content-bytes";w=10;pk=:sdfjLJUOUH==:', []],
  ])('RateLimit-Policy: %s', (value, expected) => {
    expect(policies(value)).toEqual(expected);
  });

  it.each([
    ['"default";r=50;t=30', [{ name: 'default', left: 50, resetMs: 30_000 }]],
    ['"default";r=999;pk=:dHJpYWwxMjEzMjM=:', [{ name: 'default', left: 999, resetMs: undefined }]],
    [
      '"hour";r=0;t=0, "day";r=100;t=86400',
      [
        { name: 'hour', left: 0, resetMs: 0 },
        { name: 'day', left: 100, resetMs: 86_400_000 },
      ],
    ],
  ])('RateLimit: %s', (value, expected) => {
    expect(current(value)).toEqual(expected);
  });
});

describe('what says nothing about requests is dropped, item by item (W8)', () => {
  const good = { name: 'good', limit: 7, windowMs: 9000 };
  it.each([
    ['no quota', '"a";w=60'],
    ['no window', '"a";q=100'],
    ['a quota of 0', '"a";q=0;w=60'],
    ['a negative quota', '"a";q=-1;w=60'],
    ['a fraction', '"a";q=1.5;w=60'],
    ['a quota that is text', '"a";q="100";w=60'],
    ['a window of 0', '"a";q=100;w=0'],
    ['a window longer than a day', '"a";q=100;w=86401'],
    ['a window with a fraction', '"a";q=100;w=0.5'],
    ['another unit', '"a";q=100;w=60;qu="concurrent-requests"'],
    ['a unit that is none', '"a";q=100;w=60;qu=7'],
    ['the syntax of earlier drafts', '100;w=60'],
    ['an inner list', '("a" "b");q=100;w=60'],
    ['bytes', ':YQ==:;q=100;w=60'],
  ])('%s', (_name, item) => {
    expect(policies(`${item}, "good";q=7;w=9`)).toEqual([good]);
    expect(policies(`"good";q=7;w=9, ${item}`)).toEqual([good]);
  });

  it.each([
    ['nothing left', '"a";t=30'],
    ['less than nothing', '"a";r=-1;t=30'],
    ['a fraction', '"a";r=0.5;t=30'],
    ['a time that is none', '"a";r=5;t=soon'],
    ['a negative time', '"a";r=5;t=-1'],
    ['more than a day', '"a";r=5;t=86401'],
    ['the name alone', '"a"'],
  ])('of RateLimit: %s', (_name, item) => {
    expect(current(`${item}, "good";r=3`)).toEqual([{ name: 'good', left: 3, resetMs: undefined }]);
  });

  it('what is left of a policy that counts something else', () => {
    const policy = '"bytes";q=1000;w=60;qu="content-bytes", "default";q=10;w=60';
    expect(current('"bytes";r=0;t=9, "default";r=4;t=9', policy)).toEqual([
      { name: 'default', left: 4, resetMs: 9000 },
    ]);
    expect(current('"bytes";r=0;t=9')).toHaveLength(1); // control: without its policy it counts requests
  });

  it('a name without quotes is one all the same, and parameters that nobody knows are comments', () => {
    expect(policies('burst;q=10;w=1;acme-note="x";acme')).toEqual([{ name: 'burst', limit: 10, windowMs: 1000 }]);
  });

  it('-0 is 0', () => {
    expect(current('"a";r=-0;t=-0')).toEqual([{ name: 'a', left: 0, resetMs: 0 }]);
  });
});

describe('a header that is no list is as good as none (W8, E8)', () => {
  it.each([
    ['nothing', null],
    ['an empty value', ''],
    ['blanks', '   '],
    ['a comma at the end', '"a";q=1;w=1,'],
    ['an open string', '"a;q=1;w=1'],
    ['two values without a comma', '"a";q=1;w=1 "b";q=1;w=1'],
    ['a dictionary', 'limit=100, remaining=50, reset=5'],
    ['an upper-case parameter', '"a";Q=1;w=1'],
    ['a number with too many digits', '"a";q=1234567890123456;w=1'],
    ['characters beyond ASCII', '"é";q=1;w=1'],
    ['control characters', '"a\r\n";q=1;w=1'],
    ['JSON', '[{"q":1}]'],
  ])('%s', (_name, value) => {
    expect(parseQuota({ policy: value, current: value })).toEqual({ policies: [], current: [] });
  });

  it('1,024 characters are read, and no more', () => {
    const ofLength = (length: number) => '"x";q=1;w=1'.replace('x', 'x'.repeat(length - '"";q=1;w=1'.length));
    expect(policies(ofLength(1024))).toHaveLength(1);
    expect(policies(ofLength(1025))).toEqual([]);
  });

  it('sixteen items are read, and no more', () => {
    const items = Array.from({ length: 20 }, (_, index) => `"p${index}";q=1;w=1`).join();
    expect(policies(items).map(({ name }) => name)).toEqual(Array.from({ length: 16 }, (_, index) => `p${index}`));
  });
});

describe('what is written can be read again (W8)', () => {
  it('a policy, its window rounded up to whole seconds', () => {
    expect(formatPolicy({ name: 'default', limit: 100, windowMs: 60_000 })).toBe('"default";q=100;w=60');
    expect(formatPolicy({ name: 'a "b" \\c', limit: 1, windowMs: 1001 })).toBe('"a \\"b\\" \\\\c";q=1;w=2');
    expect(formatPolicy({ name: 'default', limit: 1, windowMs: 20 })).toBe('"default";q=1;w=1');
    expect(policies(formatPolicy({ name: 'a "b" \\c', limit: 1, windowMs: 1001 }))).toEqual([
      { name: 'a "b" \\c', limit: 1, windowMs: 2000 },
    ]);
  });

  it('what is left, never more or sooner than there is', () => {
    expect(formatCurrent({ name: 'default', left: 50, resetMs: 29_100 })).toBe('"default";r=50;t=30');
    expect(formatCurrent({ name: 'github', left: 4.9, resetMs: undefined })).toBe('"github";r=4');
    expect(formatCurrent({ name: 'default', left: -3, resetMs: -5 })).toBe('"default";r=0;t=0');
  });

  it.each([
    ['limit', { name: 'default', limit: 0, windowMs: 1000 }],
    ['limit', { name: 'default', limit: 1.5, windowMs: 1000 }],
    ['limit', { name: 'default', limit: Number.POSITIVE_INFINITY, windowMs: 1000 }],
    ['windowMs', { name: 'default', limit: 1, windowMs: 0 }],
    ['windowMs', { name: 'default', limit: 1, windowMs: 86_400_001 }],
    ['windowMs', { name: 'default', limit: 1, windowMs: Number.NaN }],
    ['limit', { name: 'default', limit: 1_000_000_000_000_000, windowMs: 1000 }],
    ['windowMs', { name: 'default', limit: 1, windowMs: '1000' as never }],
    ['name', { name: '', limit: 1, windowMs: 1000 }],
    ['name', { name: 'aä', limit: 1, windowMs: 1000 }],
    ['name', { name: 'äa', limit: 1, windowMs: 1000 }],
    ['name', { name: 7 as never, limit: 1, windowMs: 1000 }],
  ])('a wrong `%s` is a TypeError that names it: %o', (option, policy) => {
    expect(() => formatPolicy(policy)).toThrow(new RegExp(`^\`${option}\``));
    expect(() => formatPolicy(policy)).toThrow(TypeError);
  });

  it('a policy of the most requests in the longest window', () => {
    const most = { name: 'default', limit: 999_999_999_999_999, windowMs: 86_400_000 };
    expect(policies(formatPolicy(most))).toEqual([most]);
  });
});
