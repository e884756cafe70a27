import { inspect } from 'node:util';
import { type ApiKeys, openApiKeys } from 'concordat/api-keys';
import type { TestDatabase } from '../helpers/databases.js';
import { type BoundCall, bind, outcomeOf, type Scene } from './bound-calls.js';
import { latestExpiry } from './fields.js';
import { changed, everybody, Host, idOf, JumpingClock } from './host.js';
import type { Call, Operation, Plan } from './operations.js';
import { walk } from './walk.js';
import { type Outcome, type Process, settled, type World } from './world.js';

/** What stands between the model and the real thing: nothing, or a mutant. */
export type Wrap = (real: ApiKeys, process: Process) => ApiKeys;

/** How much was done. */
export interface Tally {
  plans: number;
  operations: number;
  calls: number;
}

/** One plan, run against two processes on one database and against the model. */
export class PlanRun {
  readonly host = new Host();
  readonly #clocks: readonly [JumpingClock, JumpingClock];
  readonly #database: TestDatabase;
  readonly #wrap: Wrap;
  readonly #tally: Tally;
  #open: ApiKeys[] = [];
  #lookers = 0;
  created: string[] = [];
  /** Every world that agrees with all outcomes so far. */
  worlds: World[];

  constructor(plan: Plan, database: TestDatabase, tally: Tally, wrap: Wrap) {
    const startMs = Date.parse(plan.startIso);
    this.#clocks = [new JumpingClock(startMs), new JumpingClock(startMs)];
    this.#database = database;
    this.#tally = tally;
    this.#wrap = wrap;
    this.worlds = [
      { people: everybody, edition: 'Professional', trouble: 'none', nowMs: [startMs, startMs], keys: [], audits: [] },
    ];
  }

  get scene(): Scene {
    return { world: this.worlds[0]!, host: this.host, created: this.created };
  }

  async open(process: Process): Promise<void> {
    const real = await openApiKeys({
      database: this.#database.url,
      edition: this.host.askEdition,
      users: this.host.users,
      clock: this.#clocks[process],
      keptUses: 2,
      onError: () => {},
      ...(process === 1 && { keyPrefix: 'acme' }),
    });
    this.#open[process] = this.#wrap(real, process);
  }

  async close(): Promise<void> {
    for (const apiKeys of this.#open) await apiKeys.close();
  }

  /** Runs calls at once, and keeps the worlds that some order of them leads to. */
  async call(calls: readonly BoundCall[]): Promise<Outcome[]> {
    this.#tally.calls += calls.length;
    const outcomes = await Promise.all(calls.map((call) => outcomeOf(() => call.run(this.#open[call.process]!))));
    const before = this.worlds;
    const orders = permutations(calls.map((_, at) => at));
    const after = before.flatMap((world) =>
      orders.flatMap((order) =>
        order.reduce<World[]>(
          (worlds, at) =>
            worlds.flatMap((one) => calls[at]!.judge(one, outcomes[at]!, isContended(calls, outcomes, at))),
          [world],
        ),
      ),
    );
    this.#keep(after, () => {
      const told = calls.map(
        ({ text }, at) => `${text}\n  came to ${inspect(outcomes[at], { depth: 9, breakLength: 160 })}`,
      );
      return `${told.join('\nat the same time as ')}\nin ${inspect(before[0], { depth: 9, breakLength: 160 })}`;
    });
    for (const outcome of outcomes) {
      const id =
        'value' in outcome ? (outcome.value as { apiKey?: { id: string } } | undefined)?.apiKey?.id : undefined;
      if (id !== undefined) this.created.push(id);
    }
    return outcomes;
  }

  #keep(worlds: readonly World[], story: () => string): void {
    if (worlds.length === 0) throw new Error(`The model says otherwise: ${story()}`);
    const different = new Map(worlds.map((world) => [worlds.length === 1 ? '' : JSON.stringify(world), world]));
    this.worlds = [...different.values()].slice(0, 64);
  }

  async run({ operations, quiet }: Plan): Promise<void> {
    await this.open(0);
    await this.open(1);
    for (const operation of operations) {
      this.#tally.operations += 1;
      await this.#apply(operation);
      if (!quiet) await this.#look([2, this.#lookers++ % 6]);
    }
    await this.#apply({ kind: 'trouble', trouble: 'none' });
    await this.#apply({ kind: 'reopen', process: 0 });
    await this.#apply({ kind: 'reopen', process: 1 });
    await this.#look([0, 1, 2, 3, 4, 5]);
    this.#tally.plans += 1;
  }

  async #apply(operation: Operation): Promise<void> {
    switch (operation.kind) {
      case 'clock':
        return this.#move(operation);
      case 'edition':
        this.host.edition = operation.edition;
        return this.#change({ edition: operation.edition });
      case 'trouble':
        this.host.trouble = operation.trouble;
        return this.#change({ trouble: operation.trouble });
      case 'person':
        this.host.people = changed(this.host.people, idOf(operation.who), operation.change);
        return this.#change({ people: this.host.people });
      case 'reopen':
        await this.#open[operation.process]!.close();
        await this.open(operation.process);
        this.worlds = this.worlds.map((world) => settled(world, operation.process));
        return;
      case 'look':
        return this.#look([0, 1, 2, 3, 4, 5]);
      case 'together':
        await this.call(operation.calls.map((call) => bind(this.scene, call)));
        return;
      case 'walk':
        return walk(this, operation);
      default:
        await this.call([bind(this.scene, operation)]);
    }
  }

  #change(change: Partial<World>): void {
    this.worlds = this.worlds.map((world) => ({ ...world, ...change }));
  }

  #move({ whose, move }: Extract<Operation, { kind: 'clock' }>): void {
    const { keys, nowMs } = this.worlds[0]!;
    const key = 'toExpiryOf' in move ? keys[move.toExpiryOf % Math.max(1, keys.length)] : undefined;
    const next = nowMs.map((ms, process) => {
      if (whose !== 'both' && whose !== process) return ms;
      if ('byMs' in move) return ms + move.byMs;
      return key === undefined ? ms : key.expiresMs + move.offMs;
    });
    next.forEach((ms, process) => {
      this.#clocks[process]!.set(ms);
    });
    this.#change({ nowMs: [next[0]!, next[1]!] });
  }

  /** The whole state, as some users see it through both processes. */
  async #look(people: readonly number[]): Promise<void> {
    for (const process of [0, 1] as const) {
      for (const who of people) {
        for (const call of looks(process, who)) await this.call([bind(this.scene, call)]);
      }
      const latest = this.#open[process]!.maxExpiresOn();
      if (Date.parse(latest) !== latestExpiry(this.worlds[0]!.nowMs[process]))
        throw new Error(`maxExpiresOn: ${latest}`);
    }
  }
}

const looks = (process: Process, who: number): Call[] => [
  { kind: 'list', process, who, query: { scope: 'all', limit: 200, total: true, sort: 'expiresOn' } },
  { kind: 'list', process, who, query: { limit: 200 } },
  { kind: 'audits', process, who, query: { limit: 200, total: true } },
];

const permutations = (list: readonly number[]): number[][] =>
  list.length < 2
    ? [[...list]]
    : list.flatMap((one) => permutations(list.filter((other) => other !== one)).map((rest) => [one, ...rest]));

/** K17: of two changes of one key at the same time, one may lose against the other. */
const isContended = (calls: readonly BoundCall[], outcomes: readonly Outcome[], at: number) =>
  calls.some(
    ({ changes }, other) =>
      other !== at && changes !== undefined && changes === calls[at]!.changes && 'value' in outcomes[other]!,
  );
