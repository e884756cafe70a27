import type { Transport, WireResponse } from '../http/wire.js';
import type { Attempt } from './attempt.js';
import type { Answer, Setback } from './failure.js';
import { type ReleaseContext, release } from './release.js';

export interface RoadContext extends ReleaseContext {
  transport: Transport;
}

/** A call of the service, or a request of a login, on its way through {@link follow}. */
export interface Run<Sent extends Attempt, Result> {
  /** The next attempt where everything is there that it needs; else what to wait for before this is asked again. */
  acquire(): Sent | Promise<unknown>;
  /** It was a success. */
  deliver(attempt: Sent, response: WireResponse): Result | Promise<Result>;
  /** It was something else: resolves when the run goes on. @throws (rejects with) what it ends with. */
  react(setback: Setback<Sent>): Promise<void>;
  /** How the end of the run reaches its caller. */
  fail(failure: unknown): unknown;
  /** Lets go of whatever it still holds. */
  end(): void;
  /** There when somebody watches. */
  watch?: ((answer: Answer<Sent>, startedAt: number) => void) | undefined;
}

/** The one road that every request takes: acquire, send, react, until there is a result. */
export async function follow<Sent extends Attempt, Result>(
  context: RoadContext,
  run: Run<Sent, Result>,
): Promise<Result> {
  try {
    for (;;) {
      let attempt = run.acquire();
      while (attempt instanceof Promise) {
        await attempt;
        attempt = run.acquire();
      }
      const startedAt = run.watch === undefined ? 0 : context.clock.monotonic();
      const outcome = await context.transport.send(attempt); // never rejects
      const kind = release(context, attempt, outcome);
      run.watch?.({ attempt, kind, outcome }, startedAt);
      if (kind === 'success') {
        const result = run.deliver(attempt, outcome as WireResponse);
        return result instanceof Promise ? await result : result; // or what it rejects with would not be caught here
      }
      await run.react({ attempt, kind, outcome });
    }
  } catch (failure) {
    throw run.fail(failure);
  } finally {
    run.end();
  }
}
