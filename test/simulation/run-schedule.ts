import { getEventListeners } from 'node:events';
import * as ownClient from 'concordat/client';
import { virtualClock } from 'concordat/testing';
import { CallerGone, toRequest } from './calls.js';
import { ClientRun, type RunContext } from './client-run.js';
import { type CountingClock, countingClock } from './counting-clock.js';
import { leasingState } from './leasing-state.js';
import { ModelConnector } from './model-connector.js';
import type { Write } from './model-exchange.js';
import { startMs } from './model-waits.js';
import { runningClock } from './running-clock.js';
import type { CallPlan, Command, Schedule } from './schedule.js';
import { seededRandom } from './seeded-random.js';
import { Snapshots } from './snapshots.js';
import { createTags, hasRestarts, type ToTags } from './tags.js';
import { toOptions } from './to-options.js';
import type { Entry, Outcome, Trace } from './trace.js';
import { watchedClock } from './watched-clock.js';
import { modelDispatcher, modelFetch } from './wires.js';

/** The client under test: this package's, or a mutant of it. */
export interface Subject {
  createConnectorClient: typeof ownClient.createConnectorClient;
  /** @default this package's */
  memoryState?: typeof ownClient.memoryState;
}

/** A call that is made so often goes round in circles. */
const mostCallsOfOne = 500;

/** Runs a schedule from the first call to the closed client, and tells everything that happened. */
export async function runSchedule(schedule: Schedule, subject: Subject): Promise<Trace> {
  const random = Math.random;
  Math.random = seededRandom(schedule.random);
  try {
    return await new Run(schedule, subject).run();
  } finally {
    Math.random = random;
  }
}

class Run {
  readonly #schedule: Schedule;
  readonly #subject: Subject;
  readonly #entries: Entry[] = [];
  readonly #time = virtualClock({ startMs });
  readonly #clock = watchedClock(this.#time, (at) => this.#watch(at));
  readonly #clientClock: CountingClock = countingClock(runningClock(this.#clock));
  readonly #tags: ToTags;
  readonly #context: RunContext;
  readonly #connector: ModelConnector;
  readonly #clients: ClientRun[] = [];
  readonly #state: ownClient.ConnectionState | undefined;
  readonly #snapshots: Snapshots;
  readonly #signals: AbortSignal[] = [];
  /** One signal for all calls that nobody aborts, as a service's shutdown signal is. */
  readonly #lifetime = new AbortController().signal;
  /** There while one client is replaced by the next. */
  #restarting: Promise<void> | undefined;

  constructor(schedule: Schedule, subject: Subject) {
    const { client, connector, fleet } = schedule;
    const { scopes = 1, snapshots = false } = client;
    this.#schedule = schedule;
    this.#subject = subject;
    this.#tags = createTags(schedule);
    const common = { record: this.#record, tags: this.#tags, scopes };
    this.#connector = new ModelConnector(connector, { ...common, clock: this.#clock });
    this.#context = {
      ...common,
      connector: this.#connector,
      sharesLogins: fleet !== undefined,
      takesSnapshots: snapshots,
    };
    this.#snapshots = new Snapshots(subject, this.#record, this.#tags, () => this.#options(-1, this.#clock));
    const state = fleet && (subject.memoryState ?? ownClient.memoryState)();
    this.#state = state && fleet?.leases ? leasingState(state, fleet.leases, this.#clock) : state;
    for (let number = 0; number < (fleet?.size ?? 1); number++) this.#addClient();
    this.#signals.push(this.#lifetime);
  }

  async run(): Promise<Trace> {
    const calls = this.#schedule.calls.map((_plan, call) => this.#call(call));
    for (const command of this.#schedule.commands) this.#clock.setTimer(command.atMs, () => this.#obey(command));
    if (await this.#until(Promise.all(calls), 'the calls')) {
      // Logins are left to finish although nobody wants them any more.
      if (await this.#until(this.#connector.idle(), 'requests that the client has left behind')) {
        this.#take('quiet');
        if (await this.#until(this.#close(), 'close()')) this.#take('closed');
      }
    }
    return { schedule: this.#schedule, entries: this.#entries };
  }

  readonly #record: Write = (entry) => {
    this.#entries.push({ at: this.#time.monotonic(), ...entry } as Entry);
  };

  #options(client: number, clock: ownClient.Clock): ownClient.ConnectorClientOptions {
    const { client: plan, connector: ways } = this.#schedule;
    const wire = {
      connector: this.#connector,
      clock: this.#clock,
      plan,
      ways,
      record: this.#record,
      tags: this.#tags,
      client,
    };
    return {
      ...toOptions(plan),
      clock,
      ...(plan.transport === 'fetch' ? { fetch: modelFetch(wire) } : { dispatcher: modelDispatcher(wire) }),
    };
  }

  #addClient(snapshot?: number): void {
    const number = this.#clients.length;
    const clock =
      this.#schedule.fleet?.clocks === 'each' ? countingClock(runningClock(this.#clock)) : this.#clientClock;
    const client = this.#subject.createConnectorClient({
      ...this.#options(number, clock),
      ...(this.#state && { state: this.#state }),
      ...(snapshot !== undefined && { snapshot: this.#snapshots.get(snapshot) }),
    });
    const run = new ClientRun(number, client, clock, this.#context, (changed) => this.#snapshots.take(changed));
    this.#clients.push(run);
    if (snapshot !== undefined) run.tellBeginning(snapshot);
  }

  /** Lets time pass until the promise has settled. @returns whether it has. */
  async #until(promise: Promise<unknown>, what: string): Promise<boolean> {
    let settled = false;
    const done = promise.then(() => {
      settled = true;
    });
    try {
      await this.#time.runUntil(Promise.race([done, this.#connector.exhausted]));
    } catch (error) {
      this.#record({ what: 'stuck', text: `${what}: ${String((error as Error).message)}` });
      return false;
    }
    if (!settled) this.#record({ what: 'stuck', text: `${what}: requests go out without end` });
    return settled;
  }

  #watch(at: number): void {
    for (const client of this.#clients) client.watch(at);
  }

  #call(call: number): Promise<void> {
    const plan = this.#schedule.calls[call]!;
    return new Promise((resolve) => {
      this.#clock.setTimer(plan.atMs, () => this.#make(call, plan, 1, resolve));
    });
  }

  /** Makes a call, and makes it again where its end only asks to come back. */
  #make(call: number, plan: CallPlan, times: number, done: () => void): void {
    if (this.#restarting !== undefined) {
      void this.#restarting.then(() => this.#make(call, plan, times, done));
      return;
    }
    const signal = plan.abortAfterMs === undefined ? this.#lifetime : this.#abortable(call, plan.abortAfterMs);
    const client = this.#clientFor(plan.client);
    void client.call(call, toRequest(plan, call, signal)).then((outcome) => {
      const againInMs = this.#againInMs(outcome);
      const again = () => this.#make(call, plan, times + 1, done);
      if (againInMs === undefined) done();
      else if (times === mostCallsOfOne) this.#record({ what: 'stuck', text: `call ${call} is made again for ever` });
      else if (againInMs === 0) again();
      else this.#clock.setTimer(againInMs, again);
    });
  }

  /** In how many milliseconds the call is to be made again; `undefined` when it is over. */
  #againInMs(outcome: Outcome): number | undefined {
    if (outcome.type !== 'rejected') return undefined;
    if (outcome.code === 'CLIENT_CLOSED' && hasRestarts(this.#schedule)) return 0;
    if (outcome.kind !== 'rate-limit' || this.#schedule.client.onLimit !== 'reject') return undefined;
    return outcome.resumeAtMs && Math.max(1e-3, outcome.resumeAtMs - this.#time.monotonic());
  }

  /** That one of a fleet, or the latest there is. */
  #clientFor(number: number | undefined): ClientRun {
    const { fleet } = this.#schedule;
    return (fleet === undefined ? this.#clients.at(-1) : this.#clients[(number ?? 0) % fleet.size]) as ClientRun;
  }

  #abortable(call: number, abortAfterMs: number): AbortSignal {
    const controller = new AbortController();
    this.#signals.push(controller.signal);
    this.#clock.setTimer(abortAfterMs, () => {
      this.#record({ what: 'aborted', call });
      controller.abort(new CallerGone());
    });
    return controller.signal;
  }

  #obey(command: Command): void {
    if (command.type === 'expire') this.#connector.sessions.expireAll();
    if (command.type === 'quota') this.#connector.changeQuota(command.limit);
    if (command.type === 'close') void this.#clientFor(command.client).close();
    if (command.type === 'snapshot') this.#snapshots.take(this.#clientFor(undefined));
    if (command.type === 'restart' && !this.#clientFor(undefined).isClosed) this.#restart(command.snapshot);
    if (command.type === 'jump') {
      this.#time.jumpCalendar(command.milliseconds);
      this.#record({ what: 'jumped', milliseconds: command.milliseconds });
    }
  }

  #restart(which: 'before' | 'after' | 'kept'): void {
    const old = this.#clientFor(undefined);
    const kept = which === 'kept' ? this.#snapshots.last : undefined;
    const before = which === 'before' ? this.#snapshots.take(old) : kept;
    this.#restarting = old.close().then(() => {
      this.#restarting = undefined;
      const snapshot = before ?? this.#snapshots.take(old);
      this.#addClient(this.#snapshots.isAccepted(snapshot) ? snapshot : undefined);
    });
  }

  async #close(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.close()));
  }

  #take(when: 'quiet' | 'closed'): void {
    const listeners = this.#signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
    const clocks = [...new Set(this.#clients.map(({ clock }) => clock))];
    const timers = clocks.reduce((sum, { pending }) => sum + pending, 0);
    const held = clocks.reduce((sum, clock) => sum + clock.held, 0);
    this.#record({ what: 'left', when, timers, held, listeners, exchanges: this.#connector.open });
  }
}
