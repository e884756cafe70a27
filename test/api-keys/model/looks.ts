import { type BoundCall, bind } from './bound-calls.js';
import { callerOf, type Scene } from './inputs.js';
import type { Call } from './operations.js';
import { hasKeys, judge, mayManageAll, type Process, personOf, turnedAway } from './world.js';

/** A manager looks at all keys, the others at what they have. */
const pages = (process: Process, who: number): Call[] => [
  {
    kind: 'list',
    process,
    who,
    query: who === 2 ? { scope: 'all', limit: 200, total: true, sort: 'expiresOn' } : { limit: 200 },
  },
  { kind: 'audits', process, who, query: { limit: 200, total: true } },
];

/** Everything that one person sees through one process: keys, entries, rights, and whether there are keys at all. */
export function looks(scene: Scene, process: Process, who: number): BoundCall[] {
  const caller = callerOf(scene, { who });
  const rights: BoundCall = {
    process,
    text: `mayManageAll ${JSON.stringify({ process, caller })}`,
    run: (apiKeys) => apiKeys.mayManageAll(caller),
    judge: (world, outcome) =>
      judge(world, outcome, [turnedAway(world, caller)], (value) =>
        value === mayManageAll(personOf(world, caller.userId)) ? [world] : [],
      ),
  };
  const edition: BoundCall = {
    process,
    text: `isAvailable ${process}`,
    run: (apiKeys) => apiKeys.isAvailable(),
    judge: (world, outcome) =>
      judge(world, outcome, [world.trouble === 'edition' ? { kind: 'unavailable' } : undefined], (value) =>
        value === hasKeys(world) ? [world] : [],
      ),
  };
  return [...pages(process, who).map((call) => bind(scene, call)), rights, edition];
}

/** Every order of some numbers. */
export const permutations = (list: readonly number[]): number[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one) => permutations(list.filter((other) => other !== one)).map((rest) => [one, ...rest]));
