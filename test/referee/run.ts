import { Readable } from 'node:stream';
import {
  type ClientSnapshot,
  type ConnectionState,
  type ConnectorClient,
  createConnectorClient,
  memoryState,
} from '../../src/client/index.js';
import { CountingClock } from './counting-clock.js';
import { type JudgeConnector, startJudgeConnector } from './judge-connector.js';
import { type CallRecord, type ClientRecord, Ledger } from './ledger.js';
import { type CallPlan, type ClientPlan, type Scenario, type StepPlan, scopeOf } from './plan.js';
import { watchSilence } from './silence.js';
import { createTransport, type Mutant, type Transport } from './transports.js';

/** A client of the trial with all that belongs to it. */
export interface Player {
  readonly client: ConnectorClient;
  readonly record: ClientRecord;
  readonly transport: Transport;
  readonly clock: CountingClock | undefined;
}

/** How long patience lasts where something has to be gone "soon", in milliseconds: ages, on any machine. */
const patienceMs = 10_000;

/** Plays a scenario to its end, and writes down what happened. A mutant stands in for a client that breaks the rules. */
export async function play(scenario: Scenario, mutant?: Mutant): Promise<Ledger> {
  const ledger = new Ledger(scenario);
  const connector = await startJudgeConnector(ledger);
  const trial = new Trial(ledger, connector, mutant);
  try {
    await trial.run();
  } finally {
    await connector.close();
    ledger.close();
  }
  return ledger;
}

class Trial {
  readonly #states = new Map<string, ConnectionState>();
  readonly #clocks = new Map<string, CountingClock>();
  readonly #all: Player[] = [];
  /** Who plays each client of the plan now. */
  readonly #players: Player[];
  readonly #calls: Promise<void>[] = [];

  constructor(
    readonly ledger: Ledger,
    readonly connector: JudgeConnector,
    readonly mutant: Mutant | undefined,
  ) {
    this.#players = ledger.scenario.clients.map((plan, index) =>
      this.#enter(plan, index, `c${index}`, `a${plan.state}`),
    );
  }

  async run(): Promise<void> {
    const { ledger } = this;
    const silence = watchSilence(ledger, this.#all);
    const plan = [
      ...ledger.scenario.calls.map((call) => ({ atMs: call.atMs, act: () => this.#call(call) })),
      ...ledger.scenario.steps.map((step) => ({ atMs: step.atMs, act: () => this.#step(step) })),
    ].sort((one, other) => one.atMs - other.atMs);
    const startedAt = performance.now();
    for (const { atMs, act } of plan) {
      const leftMs = atMs - (performance.now() - startedAt);
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
      act();
    }
    await Promise.race([Promise.all(this.#calls), silence.broken]);
    silence.stop();
    await this.#end();
  }

  #enter(plan: ClientPlan, index: number, name: string, account: string, snapshot?: ClientSnapshot): Player {
    const { options } = this.ledger.scenario;
    const transport = createTransport(plan, name, this.ledger, this.mutant);
    // One clock and one state make one gate (rule G10).
    const clock = plan.countsTimers ? (this.#clocks.get(account) ?? new CountingClock()) : undefined;
    if (clock) this.#clocks.set(account, clock);
    const state = this.#states.get(account) ?? memoryState();
    this.#states.set(account, state);
    const plain = createConnectorClient({
      baseUrl: this.connector.baseUrl,
      initialize: { parameters: { account, client: name }, timeoutMs: options.loginTimeoutMs },
      ...(options.cleanup && { cleanup: {} }),
      rateLimit: {
        ...(options.waitHeader === 'x-wait' && { header: 'x-wait', format: 'milliseconds' as const }),
        ...{ onLimit: options.onLimit, jitterMs: options.jitterMs, fallbackWaitMs: options.fallbackWaitMs },
        ...(options.maxWaitMs !== undefined && { maxWaitMs: options.maxWaitMs }),
        ...(options.maxTotalWaitMs !== undefined && { maxTotalWaitMs: options.maxTotalWaitMs }),
        ...(options.scoped && { scope: ({ path }: { path: string }) => scopeOf(path) }),
      },
      retry: { retries: options.retries, minTimeoutMs: options.minTimeoutMs, maxTimeoutMs: options.maxTimeoutMs },
      timeoutMs: options.timeoutMs,
      concurrency: plan.concurrency,
      pacing: options.pacing,
      loginCooldownMs: options.loginCooldownMs,
      freshSessionGraceMs: options.freshSessionGraceMs,
      ...transport.options,
      ...(clock && { clock }),
      state,
      ...(snapshot && { snapshot }),
      ...this.mutant?.options,
    });
    const client = this.mutant?.client?.(plain) ?? plain;
    const record: ClientRecord = { name, index, state: account, watched: transport.watched, pauses: 0, timersLeft: 0 };
    client.on('pause', () => record.pauses++);
    const player = { client, record, transport, clock };
    this.ledger.clients.push(record);
    this.#all.push(player);
    return player;
  }

  #call(plan: CallPlan): void {
    const { client, record: by } = this.#players[plan.client] as Player;
    const record: CallRecord = { plan, client: by.name, made: this.ledger.moment() };
    this.ledger.calls.push(record);
    const controller = new AbortController();
    if (plan.abortAtMs !== undefined) {
      record.reason = new Error(`call ${plan.id} is given up`);
      const timer = setTimeout(() => {
        record.aborted = this.ledger.moment();
        controller.abort(record.reason);
      }, plan.abortAtMs - plan.atMs);
      timer.unref();
    }
    const { method, path, idempotent, priority, totalTimeoutMs } = plan;
    const request = client.request({
      ...{ method, path, signal: controller.signal, headers: { 'x-call': String(plan.id), 'x-client': by.name } },
      ...bodyOf(plan),
      ...(idempotent !== undefined && { idempotent }),
      ...(priority !== undefined && { priority }),
      ...(totalTimeoutMs !== undefined && { totalTimeoutMs }),
    });
    const end = (outcome: { value: unknown } | { error: unknown }) => {
      Object.assign(record, outcome, { ended: this.ledger.moment() });
    };
    this.#calls.push(
      request.then(
        ({ data }) => end({ value: data }),
        (error: unknown) => end({ error }),
      ),
    );
  }

  #step({ client: index, step }: StepPlan): void {
    const player = this.#players[index] as Player;
    if (step !== 'close') {
      const snapshot = JSON.parse(JSON.stringify(player.client.snapshot())) as ClientSnapshot;
      const { name, state } = player.record;
      const byOption = step === 'replace-by-option';
      const plan = this.ledger.scenario.clients[index] as ClientPlan;
      const next = this.#enter(plan, index, `${name}r`, `${state}r`, byOption ? snapshot : undefined);
      if (!byOption) next.client.restore(snapshot);
      Object.assign(next.record, { follows: { client: name, at: this.ledger.moment() } });
      this.#players[index] = next;
    }
    void this.#close(player);
  }

  async #close({ client, record }: Player): Promise<void> {
    if (record.closing !== undefined) return;
    record.counters = client.status.counters;
    record.closing = this.ledger.moment();
    await client.close();
    record.closed = this.ledger.moment();
  }

  /** Closes what is open, and gives everything the time to be gone. */
  async #end(): Promise<void> {
    const { ledger } = this;
    await within(patienceMs, Promise.all(this.#all.map((player) => this.#close(player))));
    await patiently(() => this.#all.every(({ record }) => record.closed !== undefined));
    const lastTick = ledger.moment().tick + 40;
    await patiently(() => ledger.moment().tick > lastTick);
    await patiently(() => this.#all.every(({ clock }) => clock === undefined || clock.timers === 0));
    for (const { record, clock } of this.#all) record.timersLeft = clock?.timers ?? 0;
    await Promise.all(this.#all.map(({ transport }) => transport.close()));
    await patiently(() => this.connector.sockets() === 0);
    ledger.socketsLeft = this.connector.sockets();
  }
}

/** The body as the call gives it, and as the connector has to receive it. */
function bodyOf({ id, body }: CallPlan) {
  if (body === 'json') return { json: { id } };
  if (body === 'text') return { body: expectedBody({ id, body }) };
  if (body === 'stream') return { body: () => Readable.from([Buffer.from(`stream `), Buffer.from(String(id))]) };
  return {};
}

export function expectedBody({ id, body }: Pick<CallPlan, 'id' | 'body'>): string {
  return { none: '', json: JSON.stringify({ id }), text: `text ${id}`, stream: `stream ${id}` }[body];
}

const within = (ms: number, work: Promise<unknown>) =>
  Promise.race([work.catch(() => {}), new Promise((resolve) => setTimeout(resolve, ms).unref())]);

async function patiently(done: () => boolean): Promise<void> {
  const until = performance.now() + patienceMs;
  while (!done() && performance.now() < until) await new Promise((resolve) => setTimeout(resolve, 5));
}
