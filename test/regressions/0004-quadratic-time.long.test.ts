// `parseWait('1' + ' '.repeat(64_000) + '1')` took five seconds, because a pattern for the blanks at the end tries again at
// each blank; a 64 KB answer of an end system with such a wait in its body stopped a connector for up to 17 s, and the wait
// header of a connector stopped the service's client. An attack with nothing but HTTP answers found it. Here the readers
// of waits get growing input and are compared with themselves; test/package/linear-time.long.test.ts does so with all others.
import { parseWait, waitFormats } from 'concordat';
import { endSystemFetch, type PresetName } from 'concordat/connector';
import { describe, expect, it, vi } from 'vitest';
import { controlShape, headerText, quadraticShape, quietly, shapes } from '../helpers/growth.js';

vi.setConfig({ testTimeout: 120_000 }); // the work is bounded, and not how long a busy machine takes for it

it('a quadratic reader is found (control)', async () => {
  expect(await controlShape()).toMatch(/ times$/);
});

describe('the time to read a wait grows with its length at most (E8, W4)', () => {
  it.each(waitFormats)('as %s', async (format) => {
    expect(await quadraticShape((text) => parseWait(text, { format }))).toBeUndefined();
  });

  it('with the Date and Age beside it', async () => {
    const absolute = '2026-11-21T09:00Z';
    expect(await quadraticShape((date) => parseWait(absolute, { format: 'iso-8601', date }))).toBeUndefined();
    expect(await quadraticShape((age) => parseWait(absolute, { format: 'iso-8601', age }))).toBeUndefined();
  });

  it.each(waitFormats)('%s: more than 1,024 characters are no wait, and one less is read', (format) => {
    const sample = { 'http-date': 'Sat, 21 Nov 2026 09:00:00 GMT', 'iso-8601': '2026-11-21T09:00Z' };
    const value = sample[format as keyof typeof sample] ?? '120';
    expect(parseWait(value.padEnd(1024), { format }).waitMs).toBeTypeOf('number');
    expect(parseWait(value.padEnd(1025), { format }).invalid).toMatch(/1024 characters/);
  });
});

const presets: PresetName[] = [
  ...(['asana', 'azure-devops', 'bitbucket', 'box', 'discord', 'dropbox', 'freshdesk', 'generic', 'github'] as const),
  ...(['gitlab', 'google-apis', 'hubspot', 'intercom', 'jira-cloud', 'linear', 'mediawiki'] as const),
  ...(['microsoft-graph', 'monday', 'notion', 'okta', 'redmine', 'salesforce', 'servicenow', 'shopify'] as const),
  ...(['slack', 'twilio', 'zendesk'] as const),
];

/** The members in which end systems put codes, messages and waits. */
const bodies: ((text: string) => unknown)[] = [
  (text) => ({ message: text, code: text, retry_after: text }),
  (text) => ({ error: text, error_summary: text, error_description: text }),
  (text) => ({ error: { code: text, message: text, retry_after: text, details: [{ retryDelay: text }] } }),
  (text) => ({ errors: [{ code: text, message: text, extensions: { code: text, retry_in_seconds: text } }] }),
  (text) => ({ ok: false, error: 'ratelimited', errors: [{ extensions: { code: text, type: text } }] }),
  (text) => ({ error: { code: 429, errors: [{ reason: text }], message: 'x' }, retryAfter: text }),
  (text) => [{ errorCode: text, message: text, retryAfter: text }],
  (text) => ({
    error: { code: text },
    errors: [{ extensions: { code: 'ComplexityException', retry_in_seconds: text } }],
  }),
  (text) => text,
];

const waitHeaders = ['retry-after', 'x-ratelimit-reset', 'x-rate-limit-reset', 'zendesk-ratelimit-tickets-index'];

describe('the time in which a connector reads a failure of its end system grows with its size at most (E8)', () => {
  const few = shapes.filter(({ name }) => /"1? …|\\t|Basic B|after 1R|"remaining|"Sun, …|"\/…|\\n at/.test(name));

  it.each(presets)('%s', async (preset) => {
    const reader = (answer: (text: string) => Response) =>
      quietly((text) => endSystemFetch({ preset, fetch: async () => answer(text) })('http://end.invalid/'));
    for (const status of [200, 403, 429]) {
      for (const body of bodies) {
        const read = reader((text) => Response.json(body(text), { status }));
        expect(await quadraticShape(read, 3_500, few), `${status} ${body}`).toBeUndefined();
      }
    }
    for (const name of waitHeaders) {
      const headers = (text: string) => ({ [name]: headerText(text), 'x-ratelimit-remaining': '0' });
      const read = reader((text) => new Response('{}', { status: 429, headers: headers(text) }));
      expect(await quadraticShape(read, 6_000, few), name).toBeUndefined();
    }
  });

  it('64 KB of blanks in the body of an HTTP 200 of monday are no wait: the fallback counts', async () => {
    const retry_in_seconds = `1${' '.repeat(64_000)}1`;
    const body = { errors: [{ message: 'x', extensions: { code: 'ComplexityException', retry_in_seconds } }] };
    const call = endSystemFetch({ preset: 'monday', fetch: async () => Response.json(body) });
    await expect(call('http://end.invalid/')).rejects.toMatchObject({ kind: 'rate-limit', retryAfterMs: 60_000 });
  });

  it('a wait of 1 KB is read, one byte more is not (control)', async () => {
    const call = (characters: number) => {
      const body = { message: 'slow down', retry_after: '7'.padEnd(characters) };
      return endSystemFetch({ preset: 'discord', fetch: async () => Response.json(body, { status: 429 }) })(
        'http://end.invalid/',
      );
    };
    await expect(call(1024)).rejects.toMatchObject({ kind: 'rate-limit', retryAfterMs: 7_000 });
    await expect(call(1025)).rejects.toMatchObject({ kind: 'rate-limit', retryAfterMs: 60_000 });
  });
});
