import { isShared } from '../tags.js';
import type { Entry, Trace } from '../trace.js';

/**
 * Through which eyes an invariant looks at a run in which there are several: all of it; what one state connects; one client; one gate
 * of one client; one gate as clients share it, which they do where they have a state and a clock in common; or one limit: what all who
 * know of it do at one gate.
 */
export type View = 'run' | 'state' | 'client' | 'gate' | 'shared gate' | 'limit';

/** The parts of a run that a view shows. Where there is one client with one gate, that is the run. */
export function viewsOf(trace: Trace): (view: View) => readonly Trace[] {
  const { schedule, entries } = trace;
  const { scopes = 1 } = schedule.client;
  const isOne = scopes === 1 && !isShared(schedule);
  if (isOne) return () => [trace];
  const clients = valuesOf(entries, ({ client }) => client);
  const gates = valuesOf(entries, ({ scope }) => scope);
  const part = (of: readonly Entry[]): Trace => ({
    schedule,
    entries: [...of],
    ...(sharesGates(schedule) && { ofProcess: entries }),
  });
  const known = new Map<View, readonly Trace[]>([['run', [trace]]]);
  const byClient = () => clients.map((client) => part(entries.filter((entry) => isOf(entry.client, client))));
  const byGate = (traces: readonly Trace[]) =>
    traces.flatMap((one) => gates.map((gate) => part(one.entries.filter(({ scope }) => isOf(scope, gate)))));
  const make: { [view in View]: () => readonly Trace[] } = {
    run: () => [trace],
    state: () => (schedule.fleet === undefined ? byClient() : [trace]),
    client: byClient,
    gate: () => byGate(byClient()),
    'shared gate': () => byGate(sharesGates(schedule) ? [trace] : byClient()),
    limit: () =>
      byGate(
        schedule.fleet === undefined
          ? clients.map((client) => part(withInherited(trace, client)))
          : [part([...trace.entries])],
      ),
  };
  return (view) => {
    const traces = known.get(view) ?? make[view]();
    known.set(view, traces);
    return traces;
  };
}

/** Whether clients pass the same gates. */
export function sharesGates({ fleet }: Trace['schedule']): boolean {
  return fleet?.clocks === 'one';
}

/** What a client does, and the limits that its snapshot tells of: those that were met before it was taken. */
function withInherited({ entries }: Trace, client: number | undefined): Entry[] {
  const own = entries.filter((entry) => isOf(entry.client, client));
  const begun = own.find(({ what }) => what === 'restarted');
  if (begun?.what !== 'restarted') return own;
  const taken = entries.findIndex((entry) => entry.what === 'snapshot' && entry.snapshot === begun.snapshot);
  const earlier = entries.slice(0, taken);
  const before = withInherited({ entries: earlier } as Trace, entries[taken]?.client);
  return [...before.filter((entry) => entry.what === 'answered' && entry.asked !== undefined), ...own];
}

function valuesOf<T>(entries: readonly Entry[], toValue: (entry: Entry) => T | undefined): (T | undefined)[] {
  const values = new Set(entries.flatMap((entry) => toValue(entry) ?? []));
  return values.size === 0 ? [undefined] : [...values];
}

/** What belongs to nobody belongs to everybody. */
function isOf<T>(value: T | undefined, wanted: T | undefined): boolean {
  return value === undefined || wanted === undefined || value === wanted;
}
