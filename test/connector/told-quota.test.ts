import { definePreset, type PresetName } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { announced, connectorOf } from './support/telling.js';

const inSeconds = (seconds: number) => String(Math.ceil(Date.now() / 1000) + seconds);

describe('what an end system tells is announced (W8)', () => {
  // After the products' documentation, see the presets; the times are near now, as in the products' answers.
  const products: [
    PresetName,
    Record<string, string>,
    policies: object[],
    left: number,
    resetMs: number | undefined,
  ][] = [
    [
      'github',
      {
        'x-ratelimit-limit': '5000',
        'x-ratelimit-remaining': '4987',
        'x-ratelimit-reset': inSeconds(1800),
        'x-ratelimit-used': '13',
        'x-ratelimit-resource': 'core',
      },
      [{ name: 'github', limit: 5000, windowMs: 3_600_000 }],
      4987,
      1_800_000,
    ],
    [
      'gitlab',
      {
        'ratelimit-limit': '600',
        'ratelimit-observed': '67',
        'ratelimit-remaining': '533',
        'ratelimit-reset': inSeconds(30),
        'ratelimit-name': 'throttle_authenticated_web',
      },
      [{ name: 'gitlab', limit: 600, windowMs: 60_000 }],
      533,
      30_000,
    ],
    [
      'hubspot',
      {
        'x-hubspot-ratelimit-max': '190',
        'x-hubspot-ratelimit-remaining': '189',
        'x-hubspot-ratelimit-interval-milliseconds': '10000',
      },
      [{ name: 'hubspot', limit: 190, windowMs: 10_000 }],
      189,
      undefined,
    ],
    [
      'zendesk',
      { 'x-rate-limit': '700', 'x-rate-limit-remaining': '699', 'ratelimit-reset': '41' },
      [{ name: 'zendesk', limit: 700, windowMs: 60_000 }],
      699,
      41_000,
    ],
    [
      'linear',
      {
        'x-ratelimit-requests-limit': '1500',
        'x-ratelimit-requests-remaining': '1499',
        'x-ratelimit-requests-reset': String(Date.now() + 1_800_000),
      },
      [{ name: 'linear', limit: 1500, windowMs: 3_600_000 }],
      1499,
      1_800_000,
    ],
    [
      'intercom',
      { 'x-ratelimit-limit': '83', 'x-ratelimit-remaining': '82', 'x-ratelimit-reset': inSeconds(10) },
      [],
      82,
      10_000,
    ],
    [
      'okta',
      { 'x-rate-limit-limit': '600', 'x-rate-limit-remaining': '598', 'x-rate-limit-reset': inSeconds(20) },
      [],
      598,
      21_000,
    ],
    ['generic', { 'x-ratelimit-remaining': '5', 'x-ratelimit-reset': '60' }, [], 5, 60_000],
  ];

  test.each(products)('%s', async (preset, headers, policies, left, resetMs) => {
    const quota = await announced([{ status: 200, headers }], preset);
    expect(quota.policies).toEqual(policies);
    expect(quota.current).toEqual([{ name: preset, left, resetMs: resetMs && expect.any(Number) }]);
    // The time goes on while this runs, a little or much.
    const told = quota.current[0]?.resetMs ?? 0;
    expect(told).toBeLessThanOrEqual((resetMs ?? 0) + 2000);
    expect(told).toBeGreaterThanOrEqual((resetMs ?? 0) - 120_000);
  });

  test('the headers of the rule are handed on as they are', async () => {
    const headers = {
      'ratelimit-policy': '"burst";q=10;w=1, "hour";q=99;w=3600, "bytes";q=9;w=1;qu="content-bytes"',
      ratelimit: '"burst";r=4;t=1, "hour";r=50, "bytes";r=0;t=1',
    };
    const answer = await (await connectorOf([{ status: 200, headers }], 'github'))();
    expect(answer.headers).toMatchObject({
      'ratelimit-policy': '"burst";q=10;w=1, "hour";q=99;w=3600',
      ratelimit: '"burst";r=4;t=1, "hour";r=50',
    });
  });

  test('by a preset of your own, which may extend one', async () => {
    const ledger = definePreset({
      name: 'lédger',
      extends: 'github',
      rules: [],
      quota: [{ remaining: 'x-left', limit: 'x-most', reset: { header: 'x-more-in', unit: 'seconds' }, window: 1000 }],
    });
    const replies = [{ status: 200, headers: { 'x-left': '1', 'x-most': '2', 'x-more-in': '90' } }];
    const quota = await announced(replies, ledger);
    expect(quota.policies).toEqual([{ name: 'l?dger', limit: 2, windowMs: 1000 }]);
    expect(quota.current).toMatchObject([{ name: 'l?dger', left: 1 }]);
    const core = [{ status: 200, headers: { 'x-ratelimit-remaining': '7', 'x-ratelimit-resource': 'core' } }];
    expect((await announced(core, ledger)).current).toMatchObject([{ name: 'l?dger', left: 7 }]);
  });

  test('by a preset that names no headers, only as the rule says; its name is cut to what a header takes', async () => {
    const long = definePreset({ name: 'x'.repeat(65), rules: [] });
    expect(await announced([{ status: 200, headers: { 'x-ratelimit-remaining': '5' } }], long)).toEqual({
      policies: [],
      current: [],
    });
    expect((await announced([{ status: 200, headers: { ratelimit: '"";r=5' } }], long)).current).toMatchObject([
      { name: 'x'.repeat(64), left: 5 },
    ]);
  });

  test('of one header that says it all', async () => {
    const header = 'x-contingent';
    const stock = definePreset({
      name: 'stock',
      rules: [],
      quota: [
        {
          remaining: { header, pattern: /^(\d+) of/ },
          limit: { header, pattern: /of (\d+)/ },
          reset: { header, unit: 'seconds', pattern: /in ([\d.]+) s/ },
          window: 2000,
        },
      ],
    });
    const said = (text: string) => announced([{ status: 200, headers: { [header]: text } }], stock);
    const quota = await said('57 of 60, all again in 90 s');
    expect(quota.policies).toEqual([{ name: 'stock', limit: 60, windowMs: 2000 }]);
    expect(quota.current).toMatchObject([{ name: 'stock', left: 57 }]);
    for (const text of ['many of 60', '-1 of 60', `57 of 60${' '.repeat(1024)}!`, '1234567890123456 of 60']) {
      expect(await said(text)).toEqual({ policies: [], current: [] });
    }
  });

  test('of several answers the least that was left counts', async () => {
    const told = (left: string) => ({ status: 200, headers: { 'x-ratelimit-remaining': left } });
    expect((await announced([told('9'), told('7'), told('8')])).current).toMatchObject([{ left: 7 }]);
  });

  test('what was left before a reset says nothing after it', async () => {
    const told = (left: string, reset: string) => ({
      status: 200,
      headers: { 'x-ratelimit-remaining': left, 'x-ratelimit-reset': reset },
    });
    expect((await announced([told('0', '0'), told('50', '60')])).current).toMatchObject([{ left: 50 }]);
  });
});

describe('what is no quota of requests is not announced (W8, E8)', () => {
  const core = { 'x-ratelimit-limit': '5000', 'x-ratelimit-remaining': '4', 'x-ratelimit-resource': 'core' };
  test.each<[string, PresetName, Record<string, string>]>([
    ["GraphQL's points", 'github', { ...core, 'x-ratelimit-resource': 'graphql' }],
    ['another quota of GitHub', 'github', { ...core, 'x-ratelimit-resource': 'search' }],
    ['a fraction', 'generic', { 'x-ratelimit-remaining': '4.5' }],
    ['a negative number', 'generic', { 'x-ratelimit-remaining': '-1' }],
    ['a word', 'generic', { 'x-ratelimit-remaining': 'plenty' }],
    ['a very long number', 'generic', { 'x-ratelimit-remaining': '9'.repeat(2000) }],
    ['a product whose preset knows of none', 'slack', core],
  ])('%s', async (_name, preset, headers) => {
    expect(await announced([{ status: 200, headers }], preset)).toEqual({ policies: [], current: [] });
    expect((await announced([{ status: 200, headers: core }], 'github')).current).toHaveLength(1); // control
  });

  test('a reset that cannot be read leaves what is left', async () => {
    const headers = { ...core, 'x-ratelimit-reset': 'soon', 'x-ratelimit-limit': 'many' };
    expect(await announced([{ status: 200, headers }], 'github')).toEqual({
      policies: [],
      current: [{ name: 'github', left: 4, resetMs: undefined }],
    });
  });
});
