import type { QuotaLeft } from './model-quota.js';
import type { Announcement } from './schedule.js';

type Headers = { [name: string]: string };

const nonsense: readonly Headers[] = [
  { 'ratelimit-policy': '"default";q=-4;w=0', ratelimit: '"default";r=a lot;t=soon' },
  { 'ratelimit-policy': ';;;q', ratelimit: '' },
  { ratelimit: '"other";r=1e9;t=99999999999999999999' },
  { 'ratelimit-policy': '"default";w=2;q="10"', ratelimit: '"default";r=-1;t=-1' },
];

const factors = { right: 1, high: 3, low: 1 / 3, empty: 0 } as const;

/** The headers that tell of a quota (`RateLimit-Policy: "default";q=10;w=2` and `RateLimit: "default";r=3;t=1`), true or not. */
export function announce(style: Announcement, { limit, windowMs, left, resetMs }: QuotaLeft, number: number): Headers {
  if (style === 'nonsense') return nonsense[number % nonsense.length] as Headers;
  const factor = factors[style];
  const seconds = (milliseconds: number) => Math.max(1, Math.ceil(milliseconds / 1000));
  return {
    'ratelimit-policy': `"default";q=${Math.max(1, Math.floor(limit * factor))};w=${seconds(windowMs)}`,
    ratelimit: `"default";r=${Math.floor(left * factor)};t=${seconds(resetMs)}`,
  };
}
