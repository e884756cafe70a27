import { isOneOf, isSuccess, type Judge } from '../case.js';
import type { Exchange } from '../probing/exchange.js';
import { hasResponse } from '../probing/limits.js';

/**
 * Judges how a login is refused: only a 400, a 401 and a 403 are final (rule S5), and a 403 with the wait header is a rate limit.
 * One that is `incomplete` may succeed, because parameters may be optional.
 */
export function judgeRefusal(judge: Judge, seen: Exchange, incomplete?: string): void {
  const isLimit = hasResponse(seen) && judge.prober.limits.isLimit(seen);
  const isAllowed = (status: number) => incomplete !== undefined && isSuccess(status);
  const isFinal = (status: number) => isOneOf(400, 401, 403)(status) && !isLimit;
  const expected = `400, 401, or 403 without ${judge.settings.rateLimit.header}`;
  judge.status(
    seen,
    (status) => isAllowed(status) || isFinal(status),
    incomplete === undefined ? expected : `${expected}, or a success, for a login ${incomplete}`,
  );
}
