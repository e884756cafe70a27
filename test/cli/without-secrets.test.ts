import type { Recording } from 'concordat/testing';
import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../src/cli/without-secrets.js';

const recordingOf = (json: unknown): Recording => ({
  version: 1,
  recordedAt: '2026-11-24T09:00:00Z',
  initialize: null,
  exchanges: [{ request: { method: 'GET', path: '/people' }, response: { status: 200, headers: {}, json } }],
});

describe('a member that is to be masked', () => {
  it.each<[string, unknown, unknown]>([
    ['text', 'ada@example.com', '[redacted]'],
    ['a number', 4711, '[redacted]'],
    ['a list', ['ada@example.com', 'bob@example.com'], ['[redacted]', '[redacted]']],
    [
      'an object',
      { work: 'ada@example.com', phones: [4711], primary: true },
      { work: '[redacted]', phones: ['[redacted]'], primary: true },
    ],
    ['nothing', null, null],
    ['empty text', '', ''],
  ])('shows nothing of %s', (_what, value, expected) => {
    const masked = withoutSecrets(
      { recording: recordingOf({ id: 1, email: value }), secrets: [] },
      { mask: ['email'], keep: [] },
    );
    expect(masked).toEqual(recordingOf({ id: 1, email: expected }));
  });
});
