import { describe, expect, it } from 'vitest';
import { abortable } from '../../src/internal/index.js';
import { unhandledRejections } from '../helpers/unhandled-rejections.js';

const reason = new Error('gone');
/** Long enough for node to report a rejection that nobody handles. */
const turns = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

describe('abortable', () => {
  it.each([
    ['before', true],
    ['meanwhile', false],
  ])('handles a rejection that comes after the signal has aborted %s', async (_when, isAborted) => {
    const unhandled = unhandledRejections();
    const controller = new AbortController();
    if (isAborted) controller.abort(reason);
    let reject: (error: Error) => void = () => {};
    const promise = new Promise<void>((_resolve, rejected) => {
      reject = rejected;
    });
    const waiting = abortable(promise, controller.signal);
    if (!isAborted) controller.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    reject(new Error('too late'));
    await turns();
    expect(unhandled).toEqual([]);
  });
});
