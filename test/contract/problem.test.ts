import { describe, expect, it } from 'vitest';
import { parseProblem } from '../../src/contract/index.js';

describe('a problem of RFC 9457 (E6)', () => {
  it.each([
    ['the title is the message', { title: 'No issue 7' }, { code: '', message: 'No issue 7' }],
    [
      'the detail is kept beside it',
      { title: 'No issue 7', detail: 'looked in A' },
      { code: '', message: 'No issue 7', detail: 'looked in A' },
    ],
    [
      'without a title the detail is the message, too',
      { detail: 'looked in A' },
      { code: '', message: 'looked in A', detail: 'looked in A' },
    ],
    ['so it is with a blank title', { title: ' ', detail: 'b' }, { code: '', message: 'b', detail: 'b' }],
    ['and with a title of line ends alone', { title: '\u0085', detail: 'b' }, { code: '', message: 'b', detail: 'b' }],
    ['and with a title that is no text', { title: 7, detail: 'b' }, { code: '', message: 'b', detail: 'b' }],
    ['an empty detail is none', { title: 'a', detail: '' }, { code: '', message: 'a' }],
    ['a detail that is no text is none', { title: 'a', detail: { b: 1 } }, { code: '', message: 'a' }],
    ['the type is the code', { type: 'https://a/b', title: 'c' }, { code: 'https://a/b', message: 'c' }],
    ['a code of its own outranks it', { type: 'https://a/b', code: 7, title: 'c' }, { code: '7', message: 'c' }],
    ['a blank code does not', { type: 'https://a/b', code: ' ', title: 'c' }, { code: 'https://a/b', message: 'c' }],
    ['about:blank says nothing', { type: 'about:blank', title: 'c' }, { code: '', message: 'c' }],
    ['a code beside it does', { type: 'about:blank', code: 'A', title: 'c' }, { code: 'A', message: 'c' }],
  ])('%s', (_name, problem, expected) => {
    expect(parseProblem(JSON.stringify(problem))).toEqual(expected);
  });

  it.each(['', 'Bad Gateway', 'null', '7', '"title"', '{}', '[]', '{"type":"a"}', '{"title":" ","detail":" "}'])(
    '%j is none',
    (text) => {
      expect(parseProblem(text)).toBeUndefined();
    },
  );
});
