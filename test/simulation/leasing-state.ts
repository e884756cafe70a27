import type { Clock, ConnectionState, Lease } from 'concordat/client';
import { lease, type SharedQuota } from '../helpers/lease-rules.js';
import type { LeasePlan } from './schedule.js';

/** Adds leases to a state, as processes with a Redis between them have them: late, away or wrong, as the plan says. */
export function leasingState(state: ConnectionState, { answersMs, fates }: LeasePlan, clock: Clock): ConnectionState {
  const windows = new Map<string, SharedQuota>();
  let asked = 0;
  const sleep = (ms: number) => new Promise<void>((resolve) => clock.setTimer(ms, resolve));
  return {
    ...state,
    async take(scope, request) {
      const turn = asked++;
      const fate = fates[turn % fates.length];
      await sleep(answersMs[turn % answersMs.length] as number);
      if (fate === 'away') throw new Error('away');
      if (fate === 'silent') return new Promise(() => {});
      if (fate === 'forgetful') windows.delete(scope);
      const [stored, answer] = lease(windows.get(scope), request, Math.floor(clock.monotonic()));
      windows.set(scope, stored);
      await sleep(answersMs[turn % answersMs.length] as number);
      return fate === 'nonsense' ? wrong(answer, turn) : answer;
    },
  };
}

/** One number of an answer is none. */
function wrong(answer: Lease, turn: number): Lease {
  const names = Object.keys(answer) as (keyof Lease)[];
  const values = [Number.NaN, Number.POSITIVE_INFINITY, -1];
  return { ...answer, [names[turn % names.length] as string]: values[turn % values.length] };
}
