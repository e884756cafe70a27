import { describe, expect, it } from 'vitest';
import { createSemaphore, type SourceKind } from '../../src/admin/authentication/semaphore.js';

/** A gate whose tasks end when the test says so, in the order in which they began. */
function setUp(options: { atOnce?: number; waiting?: number } = {}) {
  const gate = createSemaphore({ atOnce: 1, waiting: 100, refusal: () => new Error('busy'), ...options });
  const begun: string[] = [];
  const ended: string[] = [];
  const underWay: (() => void)[] = [];
  const enter = (name: string, source = name, kind: SourceKind = 'unknown') =>
    gate.run(source, kind, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => underWay.push(resolve));
      ended.push(name);
    });
  const tick = () => new Promise((resolve) => setImmediate(resolve));
  const endAll = async () => {
    for (let next = underWay.shift(); next !== undefined; next = underWay.shift()) {
      next();
      await tick();
    }
  };
  return { begun, ended, underWay, enter, tick, endAll };
}

describe('the gate in front of password checks (K14)', () => {
  it('lets a line in as it came, and never more at once than it may', async () => {
    const { begun, underWay, enter, tick, endAll } = setUp({ atOnce: 2 });
    const names = ['a', 'b', 'c', 'd', 'e'];
    const done = names.map((name) => enter(name, 'one source'));
    await tick();
    expect(begun).toEqual(['a', 'b']);
    expect(underWay).toHaveLength(2);
    await endAll();
    await Promise.all(done);
    expect(begun).toEqual(names);
    // Nobody waits any more, and as many may begin as at first.
    const again = ['f', 'g', 'h'].map((name) => enter(name, 'one source'));
    await tick();
    expect(begun.slice(5)).toEqual(['f', 'g']);
    await endAll();
    await Promise.all(again);
  });

  it('lets whoever comes while a place is handed on stand behind those who wait', async () => {
    const { begun, underWay, enter, tick, endAll } = setUp();
    const done = [enter('a'), enter('b')];
    await tick();
    underWay.shift()?.();
    done.push(enter('c'));
    await tick();
    expect(begun).toEqual(['a', 'b']);
    expect(underWay).toHaveLength(1);
    await endAll();
    await Promise.all(done);
    expect(begun).toEqual(['a', 'b', 'c']);
  });

  it('takes turns between sources, and between who is known and who is not', async () => {
    const { begun, enter, endAll } = setUp();
    const done = [
      enter('first'),
      ...['a1', 'a2', 'a3'].map((name) => enter(name, 'a')),
      ...['b1', 'b2'].map((name) => enter(name, 'b')),
      ...['k1', 'k2'].map((name) => enter(name, 'k', 'known')),
    ];
    await endAll();
    await Promise.all(done);
    expect(begun.filter((name) => /[ab]/.test(name))).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
    expect(begun.slice(1, 5).map((name) => name.startsWith('k'))).toEqual([false, true, false, true]);
  });

  it('hands on the place of a task that failed', async () => {
    const gate = createSemaphore({ atOnce: 1, waiting: 1, refusal: () => new Error('busy') });
    const failing = gate.run('a', 'unknown', () => Promise.reject(new Error('the task failed')));
    const next = gate.run('b', 'unknown', async () => 'ran');
    await expect(failing).rejects.toThrow('the task failed');
    expect(await next).toBe('ran');
  });

  it('when all places are taken, the longest line gives one up; between equals the last one is refused', async () => {
    const { begun, enter, endAll } = setUp({ waiting: 4 });
    const outcome = (promise: Promise<void>) =>
      promise.then(
        () => 'ran',
        (error: Error) => error.message,
      );
    const outcomes = [
      enter('first'),
      ...['a1', 'a2', 'a3', 'a4'].map((name) => enter(name, 'a')),
      enter('b1', 'b'),
      enter('b2', 'b'),
      enter('c1', 'c'),
      enter('b3', 'b'),
      enter('k1', 'k', 'known'),
    ].map(outcome);
    await endAll();
    expect(await Promise.all(outcomes)).toEqual([
      'ran',
      ...['ran', 'busy', 'busy', 'busy'],
      ...['ran', 'ran'],
      'ran',
      'busy',
      'ran',
    ]);
    expect(begun).toHaveLength(6);
  });
});
