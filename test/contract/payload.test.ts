import {
  BadRequestError,
  ConnectorError,
  errorPayloadSchema,
  NotFoundError,
  parseErrorPayload,
  RateLimitError,
} from 'concordat';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { anyText } from '../helpers/any-text.js';

const json = (value: unknown) => JSON.stringify(value);
const bytes = (text: string) => new TextEncoder().encode(text).length;

describe('toPayload (E1)', () => {
  it('has code, message and detail, in this order and with nothing else', () => {
    const error = new NotFoundError('No issue 7', { code: 7, detail: 'looked in A', cause: new Error('secret') });
    expect(json(error.toPayload())).toBe('{"errors":{"code":"7","message":"No issue 7","detail":"looked in A"}}');
  });

  it('leaves detail out when there is none', () => {
    expect(json(new NotFoundError('No issue 7').toPayload())).toBe(
      '{"errors":{"code":"NOT_FOUND","message":"No issue 7"}}',
    );
  });

  it.each([undefined, null, ''])('leaves the detail %o out', (detail) => {
    expect(new NotFoundError('No issue 7', { detail }).toPayload().errors).not.toHaveProperty('detail');
  });

  it('does not put the wait into the body: it belongs in the header (W2)', () => {
    expect(json(new RateLimitError('slow down', { retryAfterMs: 5000 }).toPayload())).toBe(
      '{"errors":{"code":"RATE_LIMITED","message":"slow down"}}',
    );
  });

  it.each([
    ['text', 'text'],
    [{ a: [1, null] }, '{"a":[1,null]}'],
    [[1, 2], '[1,2]'],
    [42, '42'],
    [false, 'false'],
  ])('writes the detail %o as a string', (detail, expected) => {
    expect(new NotFoundError('No issue 7', { detail }).toPayload().errors.detail).toBe(expected);
  });

  it('writes any detail as a string, however odd', () => {
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;
    const hostile = {
      toJSON() {
        throw new Error('no');
      },
      toString() {
        throw new Error('no');
      },
    };
    for (const detail of [cyclic, hostile, Symbol('s'), 10n, () => 1, new Map([[1, 2]]), Object.create(null)]) {
      expect(typeof new NotFoundError('No issue 7', { detail }).toPayload().errors.detail).toBe('string');
    }
  });

  it('keeps detail off the wire with exposeDetail: false, and on the error', () => {
    const error = new ConnectorError('It failed', { status: 500, detail: 'at line 3', exposeDetail: false });
    expect(error.toPayload().errors).not.toHaveProperty('detail');
    expect(error.detail).toBe('at line 3');
  });

  it('satisfies the schema for every kind', () => {
    const errors = [
      new BadRequestError(),
      new NotFoundError(),
      new RateLimitError(undefined, { retryAfterMs: 1 }),
      new ConnectorError('It failed', { status: 500, detail: { a: 1 } }),
    ];
    for (const error of errors) expect(errorPayloadSchema.parse(error.toPayload())).toEqual(error.toPayload());
  });
});

describe('detail is bounded (E5)', () => {
  const detailOf = (detail: string, maxDetailBytes?: number) =>
    new NotFoundError('x', { detail }).toPayload(maxDetailBytes === undefined ? {} : { maxDetailBytes }).errors.detail!;

  it('is left as it is up to exactly 8 KiB', () => {
    expect(detailOf('x'.repeat(8192))).toBe('x'.repeat(8192));
  });

  it('is cut to at most 8 KiB beyond that, with a visible mark', () => {
    const cut = detailOf('x'.repeat(8193));
    expect(bytes(cut)).toBeLessThanOrEqual(8192);
    expect(bytes(cut)).toBeGreaterThan(8192 - 64);
    expect(cut).toMatch(/^x+[^x]+$/);
  });

  it.each([
    ['two bytes', 'é'],
    ['three bytes', '€'],
    ['four bytes', '😀'],
    ['a family of seven code points', '👨‍👩‍👧‍👦'],
  ])('is measured in bytes and never cut inside a character of %s', (_name, character) => {
    for (let offset = 0; offset < 4; offset++) {
      const cut = detailOf('x'.repeat(offset) + character.repeat(9000));
      expect(bytes(cut)).toBeLessThanOrEqual(8192);
      expect(cut).not.toContain('\ufffd');
      expect(new TextDecoder('utf-8', { fatal: true }).decode(new TextEncoder().encode(cut))).toBe(cut);
    }
  });

  it('accepts lone surrogates and stays valid JSON', () => {
    const cut = detailOf('\ud800'.repeat(9000));
    expect(JSON.parse(json({ cut })).cut).toBe(cut);
    expect(bytes(cut)).toBeLessThanOrEqual(8192);
  });

  it('holds for any text and bound: a prefix with a mark, or the text itself', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), fc.integer({ min: 32, max: 400 }), (text, max) => {
        fc.pre(text !== '');
        const cut = detailOf(text, max);
        if (bytes(text) <= max) return cut === text;
        let prefix = 0;
        while (prefix < cut.length && cut[prefix] === text[prefix]) prefix++;
        return bytes(cut) <= max && cut !== text && cut.length - prefix < 32 && bytes(cut) > max - 4;
      }),
    );
  });

  it('holds for a bound that is smaller than the mark', () => {
    for (const max of [0, 1, 5, 8]) expect(detailOf('x'.repeat(100), max)).toBe('x'.repeat(max));
    expect(detailOf('x'.repeat(100), 9)).toBe('… [cut]'); // control: room for the mark, and nothing else
  });
});

describe('the schema (E1) is strict', () => {
  it.each([
    { errors: { code: 'A', message: 'b' } },
    { errors: { code: 'A', message: 'b', detail: '' } },
    { errors: { code: 'A', message: 'b', detail: 'c' } },
  ])('accepts %j', (value) => {
    expect(errorPayloadSchema.safeParse(value).success).toBe(true);
  });

  it.each([
    null,
    {},
    { errors: [] },
    { errors: [{ code: 'A', message: 'b' }] },
    { errors: { code: 'A' } },
    { errors: { message: 'b' } },
    { errors: { code: '', message: 'b' } },
    { errors: { code: 'A', message: '' } },
    { errors: { code: 1, message: 'b' } },
    { errors: { code: 'A', message: 'b', detail: null } },
    { errors: { code: 'A', message: 'b', detail: {} } },
    { errors: { code: 'A', message: 'b', stack: 'x' } },
    { errors: { code: 'A', message: 'b' }, more: 1 },
  ])('refuses %j', (value) => {
    expect(errorPayloadSchema.safeParse(value).success).toBe(false);
  });
});

it('the schema says what each member is, for documents that are made of it', () => {
  const { properties } = z.toJSONSchema(errorPayloadSchema.shape.errors);
  expect(Object.values(properties ?? {}).map((member) => typeof member === 'object' && member.description)).toEqual([
    expect.stringMatching(/code/i),
    expect.stringMatching(/why/i),
    expect.stringMatching(/details/i),
  ]);
});

describe('parseErrorPayload (E6)', () => {
  it.each([
    ['a contract body', { errors: { code: 'A', message: 'b' } }, { code: 'A', message: 'b' }],
    [
      'a contract body with a detail',
      { errors: { code: 'A', message: 'b', detail: 'c' } },
      { code: 'A', message: 'b', detail: 'c' },
    ],
    [
      'an errors array by its first entry',
      {
        errors: [
          { code: 'A', message: 'b' },
          { code: 'C', message: 'd' },
        ],
      },
      { code: 'A', message: 'b' },
    ],
    ['a numeric code', { errors: { code: 1062, message: 'b' } }, { code: '1062', message: 'b' }],
    ['the numeric code zero', { errors: { code: 0, message: 'b' } }, { code: '0', message: 'b' }],
    [
      'an object as detail',
      { errors: { code: 'A', message: 'b', detail: { c: [1] } } },
      { code: 'A', message: 'b', detail: '{"c":[1]}' },
    ],
    [
      'an array as detail',
      { errors: { code: 'A', message: 'b', detail: ['c'] } },
      { code: 'A', message: 'b', detail: '["c"]' },
    ],
    [
      'a number as detail',
      { errors: { code: 'A', message: 'b', detail: 7 } },
      { code: 'A', message: 'b', detail: '7' },
    ],
    ['null as detail', { errors: { code: 'A', message: 'b', detail: null } }, { code: 'A', message: 'b' }],
    ['unknown members', { errors: { code: 'A', message: 'b', stack: 's' }, status: 404 }, { code: 'A', message: 'b' }],
    ['JSON text', '{"errors":{"code":"A","message":"b"}}', { code: 'A', message: 'b' }],
  ])('reads %s', (_name, value, errors) => {
    expect(parseErrorPayload(value)).toEqual({ errors });
  });

  it.each([undefined, null, '', false, {}, []])('gives a missing code (%o) a default one', (code) => {
    const payload = parseErrorPayload({ errors: { code, message: 'b' } });
    expect(payload?.errors.message).toBe('b');
    expect(payload?.errors.code).toMatch(/^[A-Z_]+$/);
  });

  it.each([
    ['undefined', undefined],
    ['null', null],
    ['a number', 7],
    ['a boolean', true],
    ['an empty string', ''],
    ['a text', 'Bad Gateway'],
    ['HTML', '<!doctype html><html><body>502</body></html>'],
    ['cut JSON', '{"errors":{"code":"A","mess'],
    ['JSON that is a string', '"errors"'],
    ['JSON null', 'null'],
    ['an empty object', {}],
    ['an array', [{ code: 'A', message: 'b' }]],
    ['errors null', { errors: null }],
    ['errors as text', { errors: 'broken' }],
    ['an empty errors array', { errors: [] }],
    ['errors nested twice', { errors: [[{ code: 'A', message: 'b' }]] }],
    ['no message', { errors: { code: 'A' } }],
    ['an empty message', { errors: { code: 'A', message: '' } }],
    ['a blank message', { errors: { code: 'A', message: ' \n' } }],
    ['a message of line ends alone', { errors: { code: 'A', message: '\u0085\u2028' } }],
    ['a message that is no text', { errors: { code: 'A', message: { text: 'b' } } }],
    ['another API body', { error: { code: 'A', message: 'b' } }],
    ['another API body at the top', { code: 'A', message: 'b' }],
    ['a function', () => ({})],
    ['a symbol', Symbol('x')],
    ['a bigint', 10n],
  ])('answers undefined for %s', (_name, value) => {
    expect(parseErrorPayload(value)).toBeUndefined();
  });

  it('never throws, however hostile the value', () => {
    const boom = () => {
      throw new Error('boom');
    };
    const throwing = (key: string) => Object.defineProperty({}, key, { get: boom, enumerable: true });
    const everything = new Proxy({}, { get: boom, has: boom, ownKeys: boom, getOwnPropertyDescriptor: boom });
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const detail: Record<string, unknown> = {};
    detail.self = detail;
    const values: unknown[] = [
      throwing('errors'),
      { errors: throwing('message') },
      { errors: throwing('code') },
      { errors: { code: 'A', message: 'b', detail: throwing('x') } },
      { errors: { code: 'A', message: 'b', detail } },
      { errors: { code: 'A', message: 'b', detail: everything } },
      { errors: { code: { toString: boom }, message: 'b' } },
      { errors: everything },
      everything,
      revoked.proxy,
      { errors: revoked.proxy },
      { errors: new Proxy([], { get: boom }) },
    ];
    for (const value of values) {
      const payload = parseErrorPayload(value);
      if (payload !== undefined) expect(errorPayloadSchema.safeParse(payload).success).toBe(true);
    }
  });

  it('survives a detail nested a hundred thousand levels deep', () => {
    const depth = 100_000;
    const text = `{"errors":{"code":"A","message":"b","detail":${'['.repeat(depth)}${']'.repeat(depth)}}}`;
    expect(() => parseErrorPayload(text)).not.toThrow();
  });

  it('answers only what the schema accepts, or undefined, for any JSON', () => {
    const message = fc.oneof(fc.string(), fc.jsonValue());
    const entry = fc.record({ code: fc.jsonValue(), message, detail: fc.jsonValue() }, { requiredKeys: [] });
    const body = fc.oneof(fc.jsonValue(), fc.record({ errors: fc.oneof(entry, fc.array(entry), fc.jsonValue()) }));
    fc.assert(
      fc.property(body, (value) => {
        const payload = parseErrorPayload(value);
        if (payload !== undefined) errorPayloadSchema.parse(payload);
        expect(parseErrorPayload(json(value))).toEqual(payload);
      }),
      { numRuns: 500 },
    );
  });

  it('reads back what toPayload writes, for any error', () => {
    const text = fc.string({ minLength: 1 }).filter((value) => value.trim() !== '');
    fc.assert(
      fc.property(text, text, fc.option(text, { nil: undefined }), (message, code, detail) => {
        const payload = new ConnectorError(message, { status: 500, code, detail }).toPayload();
        expect(parseErrorPayload(json(payload))).toEqual(payload);
      }),
    );
  });
});
