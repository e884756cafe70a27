import { describe, expect, it } from 'vitest';
import { TwoSystems } from './two-systems.js';

const marked = (text: string, origin: string) => `${text}\n\n<!-- concordat:source=${origin} -->`;

/** A pair whose both sides are equal and remembered. */
function settledPair() {
  const systems = new TwoSystems();
  const original = systems.write('left', 'Title', { comments: ['first'] });
  systems.settle();
  return { systems, original, mirror: systems.mirror(original) };
}

describe('the plan of a two-way synchronization', () => {
  it('mirrors what was written on either side, comments in their order, and then finds nothing to do', () => {
    const systems = new TwoSystems();
    systems.write('left', 'From GitHub', { state: 'closed', comments: ['one', 'two'] });
    systems.write('right', 'From Redmine', { body: '', comments: ['three'] });
    systems.settle();
    expect(systems.issues.right[1]).toMatchObject({
      title: 'From GitHub',
      state: 'closed',
      body: marked('text', 'acme/support#1'),
      comments: [{ body: marked('one', 'acme/support#101') }, { body: marked('two', 'acme/support#102') }],
    });
    expect(systems.issues.left[1]).toMatchObject({
      body: '<!-- concordat:source=redmine/helpdesk#1 -->',
      comments: [{ body: marked('three', 'redmine/helpdesk#103') }],
    });
    expect(systems.plan()).toMatchObject({
      work: [],
      equal: 2,
      comments: 3,
      conflicts: 0,
      duplicates: [],
      orphans: [],
    });
  });

  it('finds a mirror again that nobody knows was made: nothing is made twice', () => {
    const systems = new TwoSystems();
    systems.write('left', 'Title', { comments: ['one', 'two'] });
    for (const work of systems.plan().work) systems.perform(work);
    // The issue was made and its answer lost: nothing is remembered of it. Then one comment of two.
    const [work] = systems.plan().work;
    expect(work).toMatchObject({ type: 'change', newComments: [expect.any(String), expect.any(String)] });
    if (work?.type === 'change') systems.perform({ ...work, newComments: work.newComments.slice(0, 1) });
    expect(systems.plan().work).toMatchObject([{ newComments: [marked('two', 'acme/support#102')] }]);
    systems.settle();
    expect(systems.issues.right).toHaveLength(1);
    expect(systems.issues.right[0]?.comments).toHaveLength(2);
  });

  it('mirrors files both ways, once each, and makes none again that somebody has deleted', () => {
    const { systems, original, mirror } = settledPair();
    systems.attach(original, 'photo.png', 'the printer');
    systems.attach(mirror, 'log.zip');
    expect(systems.settle()).toHaveLength(2);
    expect(mirror.attachments.map(({ filename, body }) => [filename, body])).toEqual([
      ['log.zip', ''],
      ['photo.png', marked('the printer', 'acme/support#103')],
    ]);
    expect(original.attachments[1]).toMatchObject({
      filename: 'log.zip',
      body: '<!-- concordat:source=redmine/helpdesk#104 -->',
    });
    expect(systems.plan()).toMatchObject({ work: [], equal: 1, attachments: 2, duplicates: [], orphans: [] });
    mirror.attachments.pop();
    expect(systems.plan()).toMatchObject({ work: [], attachments: 1, orphans: [{ side: 'left', id: 103 }] });
  });

  it('lets the original decide about a mirror that was only half made', () => {
    const systems = new TwoSystems();
    systems.write('left', 'Title', { state: 'closed' });
    for (const work of systems.plan().work) {
      if (work.type === 'create') systems.perform({ ...work, content: { ...work.content, state: 'open' } });
    }
    expect(systems.plan().work).toMatchObject([{ to: 'right', changes: { state: 'closed' } }]);
  });

  it.each(['left', 'right'] as const)('carries a change on the %s over to the other side', (side) => {
    const { systems, original, mirror } = settledPair();
    const [changed, other] = side === 'left' ? [original, mirror] : [mirror, original];
    systems.change(changed, { title: 'Renamed', state: 'closed' });
    expect(systems.settle()).toHaveLength(1);
    expect(other).toMatchObject({ title: 'Renamed', state: 'closed' });
  });

  it('keeps the marker on the mirror, and off the original, whichever side rewrites the text', () => {
    const { systems, original, mirror } = settledPair();
    systems.change(original, { body: 'rewritten' });
    systems.settle();
    expect(mirror.body).toBe(marked('rewritten', 'acme/support#1'));
    systems.change(mirror, { body: marked('rewritten again', 'acme/support#1') });
    systems.settle();
    expect(original.body).toBe('rewritten again');
  });

  it('puts a marker back that somebody has deleted, and keeps what was written in its place', () => {
    const { systems, original, mirror } = settledPair();
    systems.change(mirror, { body: 'all new' });
    systems.settle();
    expect(original.body).toBe('all new');
    expect(mirror.body).toBe(marked('all new', 'acme/support#1'));
    systems.change(mirror, { body: 'all new' });
    systems.settle();
    expect(mirror.body).toBe(marked('all new', 'acme/support#1'));
    expect(systems.issues.left).toHaveLength(1);
  });

  it('takes both changes where they are in different fields', () => {
    const { systems, original, mirror } = settledPair();
    systems.change(original, { title: 'Renamed' });
    systems.change(mirror, { state: 'closed' });
    expect(systems.plan().conflicts).toBe(0);
    systems.settle();
    expect([original, mirror]).toMatchObject(Array(2).fill({ title: 'Renamed', state: 'closed' }));
  });

  it.each(['left', 'right'] as const)(
    'lets the later change win where both changed the same field: the %s',
    (later) => {
      const { systems, original, mirror } = settledPair();
      const [first, last] = later === 'left' ? [mirror, original] : [original, mirror];
      systems.change(first, { title: 'Earlier' });
      systems.change(last, { title: 'Later' });
      expect(systems.plan().conflicts).toBe(1);
      systems.settle();
      expect([original.title, mirror.title]).toEqual(['Later', 'Later']);
    },
  );

  it('carries changes of comments over, and lets their origin win where both were changed', () => {
    const { systems, original, mirror } = settledPair();
    const marker = 'acme/support#101';
    const [comment, copy] = [original.comments[0], mirror.comments[0]] as [{ body: string }, { body: string }];
    copy.body = marked('changed in the copy', marker);
    systems.settle();
    expect(comment.body).toBe('changed in the copy');
    comment.body = 'changed by its author';
    copy.body = marked('changed by somebody else', marker);
    expect(systems.plan().conflicts).toBe(1);
    systems.settle();
    expect([comment.body, copy.body]).toEqual(['changed by its author', marked('changed by its author', marker)]);
  });

  it('takes line ends, and what is white at the ends of a text, for no change', () => {
    const { systems, mirror } = settledPair();
    mirror.body = mirror.body.replaceAll('\n', '\r\n');
    mirror.title = 'Title ';
    expect(systems.plan().work).toEqual([]);
    mirror.title = 'Titel';
    expect(systems.plan().work).toHaveLength(1);
  });

  it('needs nothing remembered to find pairs again', () => {
    const { systems } = settledPair();
    systems.mapping = [];
    expect(systems.plan()).toMatchObject({ work: [], equal: 1, comments: 1 });
  });

  it('reports what is there twice and what has lost its other half, and makes neither anew', () => {
    const { systems, original, mirror } = settledPair();
    systems.write('right', mirror.title, { body: mirror.body });
    expect(systems.plan()).toMatchObject({ work: [], duplicates: [{ side: 'right', id: 2 }] });
    systems.issues.right.length = 0;
    expect(systems.plan()).toMatchObject({ work: [], orphans: [{ side: 'left', id: original.id }] });
    systems.issues.right.push(mirror);
    systems.issues.left.length = 0;
    expect(systems.plan()).toMatchObject({ work: [], orphans: [{ side: 'right', id: mirror.id }] });
  });

  it('mirrors an issue that is itself the mirror of something elsewhere', () => {
    const systems = new TwoSystems();
    const original = systems.write('left', 'Title', { body: marked('text', 'other/tracker#7') });
    systems.settle();
    expect(systems.issues.right[0]?.body).toBe(marked(original.body, 'acme/support#1'));
    expect(systems.plan()).toMatchObject({ work: [], equal: 1 });
  });
});
