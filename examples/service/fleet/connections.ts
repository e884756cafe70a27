import { type RedisState, redisState } from 'concordat/redis';
import type { Redis } from 'ioredis';
import { emulatedToken } from '../emulated-github.js';
import { type End, type Ends, openEnd } from '../engine/end.js';
import type { Lease } from './lease.js';
import { type Pair, pairId } from './queue.js';
import { reportOf } from './reports.js';
import type { WorkerOptions } from './worker.js';

/** The clients of this worker. Their sessions and pauses are those of all workers. */
export class Connections {
  readonly #options: WorkerOptions;
  readonly #redis: Redis;
  readonly #lease: Lease;
  readonly #opened = new Map<string, { end: End; state: RedisState }>();
  #latest: Ends | undefined;

  constructor(options: WorkerOptions, redis: Redis, lease: Lease) {
    this.#options = options;
    this.#redis = redis;
    this.#lease = lease;
  }

  /** @throws Error if the environment names other repositories than the job. */
  of(pair: Pair): Ends {
    const { github, connectorUrl } = this.#options;
    if (github !== undefined && pairId(github) !== pairId(pair)) {
      throw new Error(`This worker keeps ${github.target} equal to ${github.source}, and no other repositories.`);
    }
    // A token never goes where a job says: only where this worker's own environment says.
    const where = github
      ? { connectorUrl: connectorUrl as string, apiUrl: github.apiUrl, token: github.token }
      : { connectorUrl: pair.connectorUrl, apiUrl: pair.apiUrl, token: emulatedToken };
    const open = (repository: string) => this.#open({ ...where, repository });
    this.#latest = { source: open(pair.source), target: open(pair.target) };
    return this.#latest;
  }

  report() {
    return { source: reportOf(this.#latest?.source.client), target: reportOf(this.#latest?.target.client) };
  }

  async close(): Promise<void> {
    for (const { end, state } of this.#opened.values()) {
      await end.client.close();
      await state.close();
    }
  }

  #open(where: { connectorUrl: string; apiUrl: string; token: string; repository: string }): End {
    const connection = `${where.connectorUrl} ${where.repository}`;
    const known = this.#opened.get(connection);
    if (known !== undefined) return known.end;
    const { sessionKey } = this.#options;
    const secrecy = sessionKey === undefined ? { storeSessionInPlainText: true } : { encryptionKey: sessionKey };
    const state = redisState({ redis: this.#redis, connection, ...secrecy });
    // Without `cleanup`: the session is that of all workers, so none of them ends it.
    const end = openEnd({ ...where, state, dispatcher: this.#lease.dispatcher });
    this.#opened.set(connection, { end, state });
    return end;
  }
}
