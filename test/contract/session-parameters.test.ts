import { describe, expect, it } from 'vitest';
import {
  headerNameOption,
  headerProblem,
  sessionHeaderProblem,
  sessionProblems,
  toSessionParameters,
} from '../../src/contract/index.js';

const transport = [
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['proxy-authorization', 'Proxy-Anything', 'Host'],
];
const callers = [
  ...['accept-charset', 'accept-encoding', 'content-encoding', 'content-range', 'content-type', 'range'],
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since'],
  ...['x-http-method', 'x-http-method-override', 'x-method-override', 'x-original-url', 'x-rewrite-url', 'Range'],
];

describe('a header (S2)', () => {
  it.each(['x-session', 'Authorization', 'cookie', 'accept', 'proxy', 'x-proxy-a', "!#$%&'*+-.^_`|~09AZaz"])(
    'may have the name %s',
    (name) => {
      expect(headerProblem(name, 'a')).toBeUndefined();
      expect(sessionHeaderProblem(name, 'a')).toBeUndefined();
    },
  );

  it.each(['', ' ', 'x session', ' x', 'x ', 'x:', 'x\n', 'é', '"x"', 'x/y'])('may not have the name %j', (name) => {
    expect(headerProblem(name, 'a')).toBe(`${JSON.stringify(name)} is not a valid header name`);
  });

  it('with an endless name is named by 80 characters of it', () => {
    expect(headerProblem('ä'.repeat(1000), 'a')).toBe(`"${'ä'.repeat(80)}" is not a valid header name`);
  });

  it.each(transport)('%s belongs to the transport', (name) => {
    expect(headerProblem(name, 'a')).toBe(`"${name}" is a header that belongs to the transport`);
  });

  it.each(callers)('%s is for callers, not for a session', (name) => {
    expect(headerProblem(name, 'a')).toBeUndefined();
    expect(sessionHeaderProblem(name, 'a')).toBe(`"${name}" changes how requests are read`);
  });

  it.each(['', 'a b', '\ta', '~', '\x80', '\xff'])('may have the value %j', (value) => {
    expect(headerProblem('x', value)).toBeUndefined();
  });

  it.each(['a\rb', 'a\nb', 'a\0', '\x7f', '\x1fa', '€', 'a\u0100'])(
    'may not have the value %j, which is not repeated (S7)',
    (value) => {
      expect(headerProblem('x', value)).toBe('the value of "x" has characters that a header cannot carry');
    },
  );

  it.each([undefined, null, 7, ['a'], {}])('may not have the value %o, which is no text', (value) => {
    expect(headerProblem('x', value)).toBe('the value of "x" is not a string');
  });
});

it('an option that names a header says what it got', () => {
  expect(headerNameOption.safeParse('Retry-After').success).toBe(true);
  for (const [value, got] of [
    ['a b', '"a b"'],
    ['host', '"host"'],
    [7, '7'],
  ]) {
    const { error } = headerNameOption.safeParse(value);
    expect(error?.issues.map(({ message }) => message)).toEqual([`must be the name of a header, got ${got}`]);
  }
});

describe('a session (S2)', () => {
  const many = (count: number) => Array.from({ length: count }, (_, index) => ({ key: `x-${index}`, value: 'a' }));

  it('has 100 headers at most', () => {
    expect(sessionProblems(many(100))).toEqual([]);
    expect(sessionProblems(many(101))).toEqual(['it has more than 100 headers']);
  });

  it('has 64 KiB of names and values at most', () => {
    const half = (length: number) => ({ key: 'a'.repeat(10), value: 'v'.repeat(length - 10) });
    const other = { key: 'b'.repeat(10), value: 'v'.repeat(32 * 1024 - 10) };
    expect(sessionProblems([half(32 * 1024), other])).toEqual([]);
    expect(sessionProblems([half(32 * 1024 + 1), other])).toEqual(['it has more than 65536 bytes']);
  });

  it('has each header once, however it is written', () => {
    const twice = [
      { key: 'x-a', value: 'a' },
      { key: 'X-A', value: 'b' },
      { key: 'x-b', value: 'c' },
    ];
    expect(sessionProblems(twice)).toEqual(['"X-A" appears twice']);
  });

  it('is told everything that is wrong with it', () => {
    const session = [
      { key: 'host', value: 'a' },
      { key: 'range', value: 'a' },
      { key: 'x-a', value: 7 },
    ];
    expect(sessionProblems(session)).toEqual([
      '"host" is a header that belongs to the transport',
      '"range" changes how requests are read',
      'the value of "x-a" is not a string',
    ]);
  });
});

describe('both forms of a login are read (S1)', () => {
  it.each([
    ['an array', [{ key: 'a', value: 'b' }], [{ key: 'a', value: 'b', sensitive: false }]],
    [
      'an array that marks secrets',
      [{ key: 'a', value: '', sensitive: true }],
      [{ key: 'a', value: '', sensitive: true }],
    ],
    [
      'an object',
      { a: 'b', c: '' },
      [
        { key: 'a', value: 'b', sensitive: false },
        { key: 'c', value: '', sensitive: false },
      ],
    ],
    ['an empty array', [], []],
    ['an empty object', {}, []],
  ])('%s', (_name, value, parameters) => {
    expect(toSessionParameters(value)).toEqual(parameters);
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    ['text', 'a=b'],
    ['a number', 7],
    ['an empty key', [{ key: '', value: 'b' }]],
    ['no key', [{ value: 'b' }]],
    ['a value that is no text', [{ key: 'a', value: 7 }]],
    ['a mark that is none', [{ key: 'a', value: 'b', sensitive: 'yes' }]],
    ['names alone', ['a']],
    ['a value of an object that is no text', { a: 'b', c: 7 }],
  ])('%s is neither', (_name, value) => {
    expect(toSessionParameters(value)).toBeUndefined();
  });
});
