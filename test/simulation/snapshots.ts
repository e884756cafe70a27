import type { ClientSnapshot, ConnectorClientOptions } from 'concordat/client';
import type { ClientRun } from './client-run.js';
import type { Write } from './model-exchange.js';
import type { Subject } from './run-schedule.js';
import type { ToTags } from './tags.js';

/** Snapshots as they are kept in a file: as JSON, each tried out by a client that begins with it and sends nothing. */
export class Snapshots {
  readonly #kept: string[] = [];
  readonly #refused = new Set<number>();
  readonly #subject: Subject;
  readonly #record: Write;
  readonly #tags: ToTags;
  /** Options for a client that is not to be seen. */
  readonly #options: () => ConnectorClientOptions;

  constructor(subject: Subject, record: Write, tags: ToTags, options: () => ConnectorClientOptions) {
    this.#subject = subject;
    this.#record = record;
    this.#tags = tags;
    this.#options = options;
  }

  /** The number of the last one; `undefined` before the first. */
  get last(): number | undefined {
    return this.#kept.length === 0 ? undefined : this.#kept.length - 1;
  }

  get(number: number): ClientSnapshot {
    return JSON.parse(this.#kept[number] as string) as ClientSnapshot;
  }

  /** Whether a client could begin with it. */
  isAccepted(number: number): boolean {
    return !this.#refused.has(number);
  }

  /** Takes one. @returns its number. */
  take({ client, number }: ClientRun): number {
    const json = JSON.stringify(client.snapshot());
    const snapshot = this.#kept.push(json) - 1;
    const outcome = this.#tryOut(json);
    if ('refused' in outcome) this.#refused.add(snapshot);
    this.#record({ what: 'snapshot', snapshot, json, ...outcome, ...this.#tags(number, undefined) });
    return snapshot;
  }

  #tryOut(json: string): { again: string } | { refused: string } {
    try {
      const next = this.#subject.createConnectorClient({ ...this.#options(), snapshot: JSON.parse(json) });
      const again = JSON.stringify(next.snapshot());
      void next.close();
      return { again };
    } catch (error) {
      return { refused: String((error as Error).message) };
    }
  }
}
