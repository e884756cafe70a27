import type { Clock } from '../../internal/index.js';
import { RequestError } from '../errors.js';
import { checkTimeout } from '../settings.js';
import type { Call } from './call.js';

/**
 * Runs a call within `totalTimeoutMs`: waits, logins and retries included.
 *
 * @throws RequestError with code `BUDGET_EXCEEDED` as soon as the time is over.
 */
export async function withBudget<Data, Result>(
  budgetMs: number,
  clock: Clock,
  call: Call<Data>,
  perform: (call: Call<Data>) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const timer = clock.setTimer(checkTimeout(budgetMs, 0, 'totalTimeoutMs'), () => {
    const message = `no answer within the \`totalTimeoutMs\` of ${budgetMs} ms`;
    controller.abort(new RequestError(message, { code: 'BUDGET_EXCEEDED', request: call.request }));
  });
  const signal = call.signal === undefined ? controller.signal : AbortSignal.any([call.signal, controller.signal]);
  try {
    return await perform({ ...call, signal });
  } finally {
    timer.cancel();
  }
}
