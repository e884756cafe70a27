import { expect, it } from 'vitest';
import { Announcements } from '../../src/conformance/probing/announcements.js';

it('what a response announces is kept without its body', () => {
  const announcements = new Announcements();
  const response = {
    status: 200,
    headers: new Headers({ 'ratelimit-policy': '"default";q=100;w=60' }),
    bytes: new Uint8Array(1024 * 1024),
    truncated: false,
    body: ' '.repeat(1024 * 1024),
    broken: undefined,
  };
  const request = { method: 'GET', path: '/issues', headers: {}, body: undefined };
  announcements.add({ request, startedAt: 0, durationMs: 1, response, failure: undefined }, false);
  expect(announcements.all).toMatchObject([{ policy: '"default";q=100;w=60', isLimit: false }]);
  const [kept] = announcements.all;
  expect([kept?.seen.response?.bytes.length, kept?.seen.response?.body]).toEqual([0, '']);
});
