import { getEventListeners } from 'node:events';
import type { ConnectorClient, createConnectorClient } from 'concordat/client';
import { type VirtualClock, virtualClock } from 'concordat/testing';
import { CallerGone, outcomeOf, toRequest } from './calls.js';
import { type CountingClock, countingClock } from './counting-clock.js';
import { ModelConnector, type Write } from './model-connector.js';
import { canary } from './model-sessions.js';
import { startMs } from './model-waits.js';
import type { ClientPlan, Command, Schedule } from './schedule.js';
import { seededRandom } from './seeded-random.js';
import type { Entry, Sender, Trace } from './trace.js';
import { modelDispatcher, modelFetch, origin } from './wires.js';

/** The client under test: this package's, or a mutant of it. */
export interface Subject {
  createConnectorClient: typeof createConnectorClient;
}

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
  readonly #entries: Entry[] = [];
  readonly #clock: VirtualClock = virtualClock(startMs);
  readonly #clientClock: CountingClock = countingClock(this.#clock);
  readonly #connector: ModelConnector;
  readonly #client: ConnectorClient;
  readonly #signals: AbortSignal[] = [];
  /** One signal for all calls that nobody aborts, as a service's shutdown signal is. */
  readonly #lifetime = new AbortController().signal;
  #closed: Promise<void> | undefined;

  constructor(schedule: Schedule, subject: Subject) {
    const { client, connector } = schedule;
    this.#schedule = schedule;
    this.#connector = new ModelConnector(connector, this.#clock, this.#record);
    const context = {
      connector: this.#connector,
      clock: this.#clock,
      client,
      queuesMs: connector.queuesMs,
      record: this.#record,
    };
    this.#client = subject.createConnectorClient({
      ...toOptions(client),
      clock: this.#clientClock,
      ...(client.transport === 'fetch' ? { fetch: modelFetch(context) } : { dispatcher: modelDispatcher(context) }),
    });
    this.#signals.push(this.#lifetime);
    this.#listen();
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
    this.#entries.push({ at: this.#clock.monotonic(), ...entry } as Entry);
  };

  /** Lets time pass until the promise has settled. @returns whether it has. */
  async #until(promise: Promise<unknown>, what: string): Promise<boolean> {
    let settled = false;
    const done = promise.then(() => {
      settled = true;
    });
    try {
      await this.#clock.runUntil(Promise.race([done, this.#connector.exhausted]));
    } catch (error) {
      this.#record({ what: 'stuck', text: `${what}: ${String((error as Error).message)}` });
      return false;
    }
    if (!settled) this.#record({ what: 'stuck', text: `${what}: requests go out without end` });
    return settled;
  }

  #call(call: number): Promise<void> {
    const plan = this.#schedule.calls[call]!;
    return new Promise((resolve) => {
      this.#clock.setTimer(plan.atMs, () => {
        const signal = plan.abortAfterMs === undefined ? this.#lifetime : this.#abortable(call, plan.abortAfterMs);
        this.#record({ what: 'called', call });
        const leak = (text: string) => this.#record({ what: 'leak', text });
        void outcomeOf(this.#client, toRequest(plan, call, signal), this.#toMonotonic, leak).then((outcome) => {
          this.#record({ what: 'settled', call, outcome });
          resolve();
        });
      });
    });
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
    if (command.type === 'quota') this.#connector.quota.change(command.limit);
    if (command.type === 'close') void this.#close();
    if (command.type === 'jump') {
      this.#clock.jumpCalendar(command.milliseconds);
      this.#record({ what: 'jumped', milliseconds: command.milliseconds });
    }
  }

  #close(): Promise<void> {
    if (this.#closed === undefined) {
      this.#record({ what: 'closing' });
      this.#closed = this.#client.close().then(() => this.#record({ what: 'closed' }));
    }
    return this.#closed;
  }

  #take(when: 'quiet' | 'closed'): void {
    const listeners = this.#signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
    const { pending: timers, held } = this.#clientClock;
    this.#record({ what: 'left', when, timers, held, listeners, exchanges: this.#connector.open });
  }

  readonly #toMonotonic = (date: Date): number => date.getTime() - this.#clock.now() + this.#clock.monotonic();

  #listen(): void {
    const client = this.#client;
    const told = (event: object) => {
      const text = JSON.stringify(event);
      const message = String((event as { error?: Error }).error?.message);
      if (text.includes(canary) || message.includes(canary)) this.#record({ what: 'leak', text: `${text} ${message}` });
    };
    client.on('pause', (event) => {
      told(event);
      const { waitMs, source, resumeAt } = event;
      this.#record({ what: 'pause', waitMs, source, resumeAtMs: this.#toMonotonic(resumeAt) });
    });
    client.on('resume', ({ pausedMs }) => this.#record({ what: 'resume', pausedMs }));
    client.on('quota', ({ quota }) => this.#record({ what: 'quota', quota }));
    client.on('heartbeat', () => this.#record({ what: 'heartbeat' }));
    client.on('initialize', (event) => {
      told(event);
      this.#record({ what: 'initialize', generation: event.generation });
    });
    client.on('retry', (event) => {
      told(event);
      const by: Sender = event.path === '/initialize' ? 'login' : Number(event.path.slice('/items/'.length));
      this.#record({ what: 'retry', by, delayMs: event.delayMs });
    });
    client.on('error', told);
  }
}

function toOptions(plan: ClientPlan) {
  const { fallbackWaitMs, maxWaitMs, maxTotalWaitMs, jitterMs } = plan;
  return {
    baseUrl: origin,
    initialize: { parameters: { user: 'ada', password: `${canary}-password` }, timeoutMs: plan.loginTimeoutMs },
    rateLimit: {
      fallbackWaitMs,
      maxWaitMs,
      jitterMs,
      ...(maxTotalWaitMs === undefined ? {} : { maxTotalWaitMs }),
    },
    retry: { retries: plan.retries, minTimeoutMs: 200, maxTimeoutMs: 2000 },
    timeoutMs: plan.timeoutMs,
    concurrency: plan.concurrency,
    pacing: plan.pacing,
    freshSessionGraceMs: plan.freshSessionGraceMs,
    loginCooldownMs: plan.loginCooldownMs,
    ...(plan.cleanup ? { cleanup: {} } : {}),
  };
}
