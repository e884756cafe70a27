import { describe, expect, it } from 'vitest';
import type { RawIssue } from '../../../examples/redmine/run/direct.js';
import { verify } from '../../../examples/redmine/run/verify.js';

const marked = (text: string, origin: string) => `${text}\n\n<!-- concordat:source=${origin} -->`;

const issue = (number: number, title: string, body: string, comments: [number, string][] = []): RawIssue => ({
  number,
  title,
  body,
  isClosed: false,
  comments: comments.map(([id, text]) => ({ id, body: text })),
});

const written = { titles: new Set(['A', 'B']), comments: new Set(['said']) };

/** Both sides as they have to be; each test spoils one thing. */
function world(): { gitHub: [RawIssue, RawIssue]; redmine: [RawIssue, RawIssue] } {
  return {
    gitHub: [issue(1, 'A', 'text', [[11, 'said']]), issue(2, 'B', marked('other', 'redmine/helpdesk#5'))],
    redmine: [
      issue(5, 'B', 'other'),
      issue(6, 'A', marked('text', 'acme/support#1').replaceAll('\n', '\r\n'), [
        [9, marked('said', 'acme/support#11')],
      ]),
    ],
  };
}

describe('the verification of both systems', () => {
  it('finds no problem where everything is on both sides, once and equal', () => {
    const { gitHub, redmine } = world();
    expect(verify(gitHub, redmine, written)).toEqual({ issues: 2, comments: 1, problems: [] });
  });

  it.each<[string, (both: ReturnType<typeof world>) => unknown, string]>([
    ['a missing mirror', ({ redmine }) => redmine.pop(), 'issue 1 of GitHub is 0 times on the other side'],
    ['a mirror made twice', ({ redmine }) => redmine.push(redmine[1]), 'is 2 times on the other side'],
    ['a mirror of nothing', ({ redmine }) => redmine.shift(), 'issue 2 mirrors nothing that is there'],
    ['another title', ({ redmine }) => Object.assign(redmine[0], { title: 'C' }), 'the titles are "B" and "C"'],
    ['another text', ({ redmine }) => Object.assign(redmine[0], { body: 'x' }), 'the texts differ'],
    ['another state', ({ gitHub }) => Object.assign(gitHub[0], { isClosed: true }), 'one of them is closed'],
    ['a lost comment', ({ redmine }) => redmine[1].comments.pop(), '11 of GitHub is 0 times on the other side'],
    [
      'a comment made twice',
      ({ redmine }) => redmine[1].comments.push({ id: 12, body: marked('said', 'acme/support#11') }),
      '11 of GitHub is 2 times on the other side',
    ],
    [
      'a comment that differs',
      ({ gitHub }) => Object.assign(gitHub[0].comments[0] as object, { body: 'unsaid' }),
      'comments 11 and 9 differ',
    ],
  ])('reports %s', (_name, spoil, problem) => {
    const both = world();
    spoil(both);
    expect(verify(both.gitHub, both.redmine, written).problems.join('\n')).toContain(problem);
  });

  it('reports what is equal on both sides and not what was written', () => {
    const { gitHub, redmine } = world();
    for (const found of [gitHub[0], redmine[1]]) found.title = 'Overwritten';
    for (const { comments } of [gitHub[0], redmine[1]]) comments.length = 0;
    expect(verify(gitHub, redmine, written).problems).toEqual([
      'titles of GitHub: "A" is there 0 times',
      'titles of GitHub: nobody wrote "Overwritten"',
      'comments of GitHub: "said" is there 0 times',
      'titles of Redmine: "A" is there 0 times',
      'titles of Redmine: nobody wrote "Overwritten"',
      'comments of Redmine: "said" is there 0 times',
    ]);
  });
});
