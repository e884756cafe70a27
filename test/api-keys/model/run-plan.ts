import { inspect, isDeepStrictEqual } from 'node:util';
import { type ApiKey, type ApiKeys, openApiKeys } from 'concordat/api-keys';
import type { TestDatabase } from '../helpers/databases.js';
import { type BoundCall, bind, isContended, outcomeOf } from './bound-calls.js';
import { withoutLost } from './changing.js';
import { latestExpiry, readName } from './fields.js';
import { changed, everybody, Host, idOf, JumpingClock } from './host.js';
import type { Scene } from './inputs.js';
import { looks, permutations } from './looks.js';
import type { Operation, Plan } from './operations.js';
import { walk } from './walk.js';
import { type Around, mayManageAll, type Outcome, type Process, settled, type World } from './world.js';

/** What stands between the model and the real thing: nothing, or a mutant. */
export type Wrap = (real: ApiKeys, process: Process, now: () => number) => ApiKeys;

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
  readonly #revoked: [string[], string[]] = [[], []];
  readonly #story: (() => string)[] = [];
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
    this.#open[process] = this.#wrap(real, process, this.#clocks[process].now);
    this.#open[process].onInvalidated(({ apiKeyId }) => this.#revoked[process].push(apiKeyId));
  }

  async close(): Promise<void> {
    for (const apiKeys of this.#open) await apiKeys.close();
  }

  /** Runs calls at once, and keeps the worlds that some order of them leads to. */
  async call(calls: readonly BoundCall[], isLook = false): Promise<Outcome[]> {
    this.#tally.calls += calls.length;
    const outcomes = await Promise.all(calls.map((call) => outcomeOf(() => call.run(this.#open[call.process]!))));
    const around: Around[] = [];
    for (const [at, call] of calls.entries()) {
      around.push({
        contended: isContended(calls, outcomes, at),
        left: calls.length > 1 ? await this.#leftBehind(call, outcomes[at]!) : undefined,
      });
    }
    const before = this.worlds;
    const after = permutations(calls.map((_, at) => at)).flatMap((order) => {
      const judged = order.reduce<readonly World[]>(
        (worlds, at) => worlds.flatMap((world) => calls[at]!.judge(world, outcomes[at]!, around[at]!)),
        before,
      );
      return judged.map((world) =>
        calls.reduce((next, { process }, at) => {
          const { left } = around[at]!;
          return left === undefined ? next : withoutLost(next, process, left.id);
        }, world),
      );
    });
    const told = calls.map(
      ({ text }, at) =>
        () =>
          `${text}\n  came to ${inspect(outcomes[at], shape)}`,
    );
    this.#keep(after, () => {
      const last = [...this.#story.slice(-5), ...told].map((tell) => tell());
      return [...last, 'in', inspect(before[0], shape)].join('\n');
    });
    if (!isLook) this.#story.push(...told);
    if (calls.length === 1) this.#heardOf(before[0]!, calls[0]!);
    else for (const heard of this.#revoked) heard.length = 0;
    for (const outcome of outcomes) {
      const id = 'value' in outcome ? (outcome.value as { apiKey?: ApiKey } | undefined)?.apiKey?.id : undefined;
      if (id !== undefined) this.created.push(id);
    }
    return outcomes;
  }

  /** K11: a process tells of the keys that it has just revoked, and of no others. */
  #heardOf(before: World, { process, text }: BoundCall): void {
    const ended = ({ keys }: World) => keys.filter((key) => key.ended === 'Revoked').map(({ id }) => id);
    const earlier = ended(before);
    const expected = ended(this.worlds[0]!).filter((id) => !earlier.includes(id));
    const [own, others] = [this.#revoked[process].splice(0), this.#revoked[1 - process]!.splice(0)];
    if (isDeepStrictEqual(own.toSorted(), expected.toSorted()) && others.length === 0) return;
    throw new Error(`${text} revoked ${expected}, but its process told of ${own}, and the other one of ${others}`);
  }

  /** The Revoked key of a creation that failed because its owner was deleted meanwhile. */
  async #leftBehind({ creates, process }: BoundCall, outcome: Outcome): Promise<ApiKey | undefined> {
    if (creates === undefined || !('error' in outcome) || outcome.error.kind !== 'forbidden') return undefined;
    const manager = this.host.people.find((one) => mayManageAll(one));
    if (manager === undefined || this.host.trouble === 'users') return undefined;
    const actor = { userId: manager.id, username: manager.username };
    const { items } = await this.#open[process]!.list(actor, {
      scope: 'all',
      createdBy: creates.ownerId,
      status: 'Revoked',
      limit: 200,
    });
    const name = readName(creates.name);
    return items.find((key) => !this.#isKnown(key.id) && 'value' in name && name.value === key.name);
  }

  #isKnown(id: string): boolean {
    return this.worlds.some(({ keys }) => keys.some((key) => key.id === id));
  }

  #keep(worlds: readonly World[], story: () => string): void {
    if (worlds.length === 0) throw new Error(`The model says otherwise: ${story()}`);
    const different = new Map(worlds.map((world) => [worlds.length === 1 ? '' : JSON.stringify(world), world]));
    this.worlds = [...different.values()];
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
        for (const call of looks(this.scene, process, who)) await this.call([call], true);
      }
      const latest = this.#open[process]!.maxExpiresOn();
      if (Date.parse(latest) !== latestExpiry(this.worlds[0]!.nowMs[process]))
        throw new Error(`maxExpiresOn: ${latest}`);
    }
  }
}

const shape = { depth: 9, breakLength: 160 };
