import { DelayedError, type Processor, RateLimitError, UnrecoverableError } from 'bullmq';
import { checkOptions, optionsOf, type ShapeOf, withMethods } from '../../internal/index.js';
import { type LimitableQueue, queueStopper } from './queue-limit.js';

export interface DelayOptions {
  /**
   * The jobs' queue, if all of them use one connection: a rate limit then stops the whole queue, on all machines, and
   * jobs keep their order. The queue gets a `setGlobalRateLimit` that is never reached, unless it has one. BullMQ
   * prefers that to a worker's `limiter`: set a limit of your own on the queue.
   *
   * @default none: only the job is delayed, because others may use other connections
   */
  queue?: LimitableQueue | undefined;
}

const schema = optionsOf({
  queue: withMethods<LimitableQueue>(
    ...(['getGlobalRateLimit', 'setGlobalRateLimit', 'getRateLimitTtl', 'rateLimit'] as const),
  ).optional(),
} satisfies ShapeOf<DelayOptions>);

/**
 * Puts a job off when one of its calls rejects with a `RateLimitError`, until the rate limit is over, or with an
 * `InitializeError` because a login was refused a moment ago, until the next login is due (rule S5). Such a job holds no
 * worker, uses up no attempt, and survives a restart. It then starts again from its beginning: BullMQ counts that against a
 * worker's `maxStartedAttempts`, so set none. A call whose `totalTimeoutMs` was over, or whose client was closed, while it
 * waited for a rate limit or a quota puts its job off, too (rule G5).
 *
 * The client must reject instead of waiting: always with `rateLimit.onLimit: 'reject'`, or above `rateLimit.maxWaitMs`.
 * With `queue` the queue stops; without it the other jobs of the connection are delayed as they come up, without sending
 * anything, and jobs of other connections continue.
 *
 * An error that another attempt cannot fix, a 4xx of the connector other than 401, 408, 425 and 429, becomes an
 * `UnrecoverableError` with that error as its `cause`. Any other error is thrown as it is and costs an attempt.
 *
 * @throws TypeError when `processor` is no function, or naming the option that is wrong.
 * @example
 * const client = createConnectorClient({ ...options, rateLimit: { onLimit: 'reject' } })
 * const queue = new Queue('acme', { connection })
 * const worker = new Worker('acme', delayWhenLimited((job) => synchronize(client, job.data), { queue }), { connection })
 */
// biome-ignore lint/suspicious/noExplicitAny: BullMQ's own defaults, so that a processor written for them fits
export function delayWhenLimited<Data = any, Result = any, Name extends string = string>(
  processor: Processor<Data, Result, Name>,
  options: DelayOptions = {},
): Processor<Data, Result, Name> {
  if (typeof processor !== 'function') throw new TypeError('`processor` must be a function.');
  const { queue } = checkOptions(schema, options);
  const stopUntil = queue && queueStopper(queue);
  // All three named: BullMQ makes a signal only for a processor whose `length` says that it takes one.
  return async (job, token, signal) => {
    const { queueQualifiedName: own } = job;
    if (queue?.qualifiedName !== undefined && own !== undefined && own !== queue.qualifiedName) {
      throw new TypeError(`\`queue\` must be the job's own, ${own}, to stop it; it is ${queue.qualifiedName}.`);
    }
    try {
      return await processor(job, token, signal);
    } catch (error) {
      const verdict = judge(error);
      if (verdict === undefined) throw error;
      const { message } = error as Error;
      if (verdict === 'final') throw Object.assign(new UnrecoverableError(message), { cause: error });
      const isStopped = await stopUntil?.(verdict).then(
        () => true,
        () => false, // the job is delayed by itself, through the worker's own connection
      );
      if (isStopped) throw new RateLimitError(); // BullMQ puts the job back, as the first in line
      await job.moveToDelayed(Math.max(verdict.getTime(), Date.now()), token);
      throw new DelayedError(message);
    }
  };
}

/** How deep causes are followed. */
const maxDepth = 10;

/** Statuses of the connector that another attempt may mend: credentials can be renewed, time-outs pass. */
const transientStatuses = new Set([401, 408, 425, 429]);

/** What a connector said about the request itself; the errors of the client may come from another copy of the package. */
const connectorKinds = new Set<unknown>(['bad-request', 'unauthorized', 'forbidden', 'not-found', 'other']);
const clientKinds = new Set<unknown>(['initialize', 'request']);

/** What is looked at: an error may come from another copy of the package, and be anything. */
interface ErrorOfClient {
  kind?: unknown;
  status?: unknown;
  resumeAt?: unknown;
  retryAt?: unknown;
  cause?: { kind?: unknown } | null;
}

/**
 * By the first error of the client among an error and its causes: when a rate limit is over, or the cool-down after a login that
 * was refused before the call; `'final'` if the connector refuses this very request, so that the job would only fail again;
 * `undefined` for a failure like any other, which costs an attempt: also for the refused login itself.
 */
function judge(error: unknown): Date | 'final' | undefined {
  for (let depth = 0, current = error; depth < maxDepth && current instanceof Error; depth++, current = current.cause) {
    const { kind, status, resumeAt, retryAt, cause } = current as ErrorOfClient;
    if (kind === 'rate-limit' && resumeAt instanceof Date) return resumeAt;
    const isCoolingDown = kind === 'initialize' && cause?.kind === 'initialize';
    if (isCoolingDown && retryAt instanceof Date) return retryAt;
    if (connectorKinds.has(kind)) return isFinal(status) ? 'final' : undefined;
    // A call whose time was over, or whose client was closed, during a rate limit has it as its cause.
    if (clientKinds.has(kind) && cause?.kind !== 'rate-limit') return undefined;
  }
  return undefined;
}

function isFinal(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500 && !transientStatuses.has(status);
}
