import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';

const digest = (algorithm = 'SHA-256') => crypto.subtle.digest(algorithm, new Uint8Array(1));

/** As when the package is loaded anew: what a test before has watched does not count. */
async function watch() {
  const { cryptoWork } = await import('../../src/testing/clock/crypto-work.js');
  return cryptoWork();
}

beforeEach(() => {
  vi.resetModules();
});

it('lists what is at work, also as the second copy of the package', async () => {
  const first = await watch();
  vi.resetModules();
  const copies = [first, await watch()];
  const work = digest();
  expect(copies.map(({ size }) => size)).toEqual([1, 1]);
  expect((await work).byteLength).toBe(32);
  expect(copies.map(({ size }) => size)).toEqual([0, 0]);
});

it('leaves alone what a test puts in the place of WebCrypto, and the prototype of all objects', async () => {
  vi.stubGlobal('crypto', { subtle: { digest: async () => new ArrayBuffer(1) } });
  onTestFinished(() => void vi.unstubAllGlobals());
  const before = Object.getOwnPropertyDescriptors(Object.prototype);
  await watch();
  const after = Object.getOwnPropertyDescriptors(Object.prototype);
  Object.defineProperties(Object.prototype, before); // or nothing could report the failure
  expect(after.hasOwnProperty.value).toBe(before.hasOwnProperty.value);
});

it('works where there is no WebCrypto', async () => {
  vi.stubGlobal('SubtleCrypto', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect((await watch()).size).toBe(0);
});

it('returns what a mock returns, if that is no promise', async () => {
  const mock = vi.spyOn(SubtleCrypto.prototype, 'digest').mockReturnValue('a digest' as never);
  onTestFinished(() => mock.mockRestore());
  await watch();
  expect(digest()).toBe('a digest');
});

it('leaves failures unhandled that the test does not handle', async () => {
  await watch();
  const others = process.listeners('unhandledRejection');
  const unhandled = vi.fn();
  process.removeAllListeners('unhandledRejection').on('unhandledRejection', unhandled);
  onTestFinished(() => {
    process.removeAllListeners('unhandledRejection');
    for (const other of others) process.on('unhandledRejection', other);
  });
  void digest('nonsense');
  await vi.waitFor(() => expect(unhandled).toHaveBeenCalledOnce());
});
