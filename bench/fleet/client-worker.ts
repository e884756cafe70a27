import { type ConnectorClient, createConnectorClient } from 'concordat/client';
import { LongestWait } from './longest-wait.js';
import type { Worker, WorkerOptions } from './worker.js';

/** A process of the fleet with the real client; HTTP is a `fetch` that takes virtual time. */
export class ClientWorker implements Worker {
  readonly #options: WorkerOptions;
  readonly #client: ConnectorClient;
  readonly #wait: LongestWait;

  constructor(options: WorkerOptions) {
    this.#options = options;
    this.#wait = new LongestWait(options.time);
    this.#client = createConnectorClient({
      baseUrl: 'http://fleet.test',
      initialize: { parameters: { user: 'ada' } },
      rateLimit: { format: 'milliseconds' },
      concurrency: Math.max(1, options.callers),
      clock: options.clock,
      state: options.state,
      fetch: (input, init) => this.#fetch(new Request(input as string, init as RequestInit)),
    });
  }

  get longestWaitMs(): number {
    return this.#wait.longestMs;
  }

  start(): void {
    for (let caller = 0; caller < this.#options.callers; caller++) void this.#callOn();
  }

  finish(): void {
    this.#wait.finish();
    this.#client.close({ graceMs: 0 }).catch(() => {});
  }

  async #callOn(): Promise<void> {
    const { time, until } = this.#options;
    while (time.now < until) {
      this.#wait.begins();
      try {
        await this.#client.get('/items');
      } catch {
        return; // closed
      }
    }
  }

  async #fetch(request: Request): Promise<Response> {
    const { time, connector, latencyMs } = this.#options;
    const isLogin = request.url.endsWith('/initialize');
    if (!isLogin) this.#wait.ends();
    const oneWayMs = latencyMs() / 2;
    await time.sleep(oneWayMs);
    const session = isLogin ? connector.logIn() : undefined;
    const isValid = session !== undefined || connector.knows(request.headers.get('x-session'));
    const waitMs = isValid && !isLogin ? connector.receive() : 0;
    await time.sleep(oneWayMs);
    if (!isValid) return new Response(null, { status: 401 });
    if (waitMs === 0) return Response.json(session === undefined ? {} : { 'x-session': session });
    if (!isLogin) this.#wait.begins(); // the call waits again
    return new Response(null, { status: 403, headers: { 'retry-after': String(Math.ceil(waitMs)) } });
  }
}
