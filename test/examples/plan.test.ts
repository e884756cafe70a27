import { describe, expect, it } from 'vitest';
import type { Issue } from '../../examples/service/engine/issue.js';
import { addMarker, readMarker } from '../../examples/service/engine/marker.js';
import { planMirror } from '../../examples/service/engine/plan.js';

const repository = 'acme/support';
const issue = (number: number, changes: Partial<Issue> = {}): Issue => ({
  number,
  title: `Issue ${number}`,
  body: 'text',
  state: 'open',
  labels: [],
  ...changes,
});
const mirrorOf = (source: Issue, number: number, changes: Partial<Issue> = {}): Issue => ({
  ...source,
  number,
  body: addMarker(source.body, { repository, number: source.number }),
  ...changes,
});

describe('the marker', () => {
  it.each(['', 'text', 'line\r\nline\r\n', 'ends with a comment <!-- x -->', '💥 größe'])(
    'is found again after %j',
    (body) => {
      expect(readMarker(addMarker(body, { repository, number: 12 }))).toEqual({ repository, number: 12 });
    },
  );

  it('counts at the end only, so a mirror of a mirror keeps its own source', () => {
    const inner = addMarker('text', { repository: 'other/tracker', number: 7 });
    expect(readMarker(addMarker(inner, { repository, number: 1 }))).toEqual({ repository, number: 1 });
    expect(readMarker(`${inner}\n\nmore text`)).toBeUndefined();
  });

  it('is not found in a text without one', () => {
    expect(readMarker('text <!-- concordat:source=nonsense -->')).toBeUndefined();
    expect(readMarker('')).toBeUndefined();
  });
});

describe('the plan', () => {
  it('creates what is missing and leaves what is equal', () => {
    const plan = planMirror(repository, [issue(1), issue(2)], [mirrorOf(issue(1), 40)]);
    expect(plan.equal).toBe(1);
    expect(plan.work).toMatchObject([{ type: 'create', source: { number: 2 }, content: { title: 'Issue 2' } }]);
  });

  it.each([
    ['title', { title: 'New' }],
    ['body', { body: 'new' }],
    ['state', { state: 'closed' }],
    ['labels', { labels: ['bug'] }],
  ] as const)('updates a changed %s and nothing else', (field, changes) => {
    const changed = issue(1, changes as Partial<Issue>);
    const { work } = planMirror(repository, [changed], [mirrorOf(issue(1), 40)]);
    expect(work).toMatchObject([{ type: 'update', mirror: { number: 40 } }]);
    expect(Object.keys((work[0] as { changes: object }).changes)).toEqual([field]);
  });

  it('takes line ends, the order of labels and their case for no difference', () => {
    const source = issue(1, { body: 'a\r\nb', labels: ['Bug', 'ux'] });
    const mirror = mirrorOf({ ...source, body: 'a\nb', labels: ['ux', 'bug'] }, 40);
    expect(planMirror(repository, [source], [mirror])).toMatchObject({ equal: 1, work: [] });
  });

  it('reports a second mirror of the same issue as a duplicate, the younger one', () => {
    const source = issue(1);
    const plan = planMirror(repository, [source], [mirrorOf(source, 41), mirrorOf(source, 40)]);
    expect(plan).toEqual({ work: [], equal: 1, duplicates: [41], orphans: [] });
  });

  it('reports a mirror whose source is gone, and ignores the issues of others', () => {
    const foreign = issue(50, { body: addMarker('x', { repository: 'other/tracker', number: 1 }) });
    const plan = planMirror(repository, [], [mirrorOf(issue(1), 40), foreign, issue(51)]);
    expect(plan).toEqual({ work: [], equal: 0, duplicates: [], orphans: [40] });
  });
});
