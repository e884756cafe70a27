import type { Context } from '../context.js';
import { recordExpired } from '../store/index.js';
import { type Ends, statusOf } from './status.js';

/**
 * To be called before anybody is told the state of these keys: which are Expired by the clock is written down, once for
 * each, so that they stay so when the clock is set back, and for processes whose clock is behind (rule K5). When that
 * cannot be written, what the clock says is told all the same, and the next reader tries again.
 */
export async function noteExpired(
  { store, onError }: Context,
  keys: readonly { readonly id: string; readonly ends: Ends }[],
  nowMs: number,
): Promise<void> {
  const expired = keys.filter(({ ends }) => ends.expiredOn === null && statusOf(ends, nowMs) === 'Expired');
  if (expired.length === 0) return;
  try {
    await recordExpired(
      store,
      expired.map(({ id }) => id),
      nowMs,
    );
  } catch (error) {
    onError(error);
  }
}
