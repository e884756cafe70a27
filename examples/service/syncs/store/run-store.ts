import { closeSqlite, type DatabaseSyncInstance, inTransaction, openSqlite } from '../../sqlite.js';
import { binSecondsFor } from '../picture/bins.js';
import {
  noFacts,
  type Run,
  type RunConnection,
  type RunEventData,
  type RunFacts,
  type RunState,
  type RunTrigger,
  type RunUpdate,
  type Sample,
} from '../run.js';
import { isGone, type Owner, thisProcess } from './owner.js';
import { type EventRow, type RunRow, toEvent, toRun } from './rows.js';
import { setUp } from './schema.js';

export interface NewRun {
  connector: string;
  connections: readonly Pick<RunConnection, 'name' | 'repository'>[];
  trigger: RunTrigger;
  startedBy?: string | undefined;
}

export interface RunEnd {
  state: Exclude<RunState, 'running' | 'interrupted'>;
  stoppedBy?: string | undefined;
  error?: string | undefined;
}

export interface RunList {
  runs: Run[];
  /** Whether there are older ones. */
  hasMore: boolean;
}

/** So many runs are kept. One a minute, that is a week. */
const maxRuns = 10_000;

/**
 * What has become of every run, in a SQLite file that several processes may have open: the service, and a `--once` beside
 * it. What is written is there for others at once, and survives that the process is killed.
 */
export class RunStore {
  readonly #database: DatabaseSyncInstance;
  readonly #owner: Owner;
  readonly #now: () => number;
  readonly #listeners = new Set<() => void>();

  private constructor(database: DatabaseSyncInstance, owner: Owner, now: () => number) {
    this.#database = database;
    this.#owner = owner;
    this.#now = now;
  }

  static async open(file: string, { now = Date.now, owner = thisProcess() } = {}): Promise<RunStore> {
    const store = new RunStore(await openSqlite(file, setUp), owner, now);
    store.markInterrupted();
    return store;
  }

  /** The time that everything here is in. */
  get nowMs(): number {
    return this.#now();
  }

  /** A new run. It goes on with the last one of the same connections if that ended early. */
  begin({ connector, connections, trigger, startedBy }: NewRun): Run {
    const nowMs = this.#now();
    const facts: RunFacts = {
      ...noFacts,
      connections: connections.map(({ name, repository }) => ({
        ...{ name, repository, session: 'none', requests: 0, refused: 0, logins: 0, pauses: 0, waitedMs: 0 },
        quota: null,
      })),
    };
    return this.#write((revision) => {
      const last = this.latest();
      const resumes = last !== undefined && endedEarly(last) && samePair(last, facts) ? last.id : null;
      const { id, host, pid } = this.#owner;
      const row = this.#database
        .prepare(
          `insert into run (revision, connector, state, trigger_kind, started_by, resumes, started_ms, last_seen_ms, facts,
             owner_id, owner_host, owner_pid)
           values (?, ?, 'running', ?, ?, ?, ?, ?, ?, ?, ?, ?) returning *`,
        )
        .get(
          ...[revision, connector, trigger, startedBy ?? null, resumes, nowMs, nowMs, JSON.stringify(facts)],
          ...[id, host, pid],
        ) as RunRow;
      this.#database.prepare('delete from run where id <= ?').run(row.id - maxRuns);
      return toRun(row);
    });
  }

  /** Writes down how far a run is. */
  progress(id: number, facts: RunFacts, samples: readonly Sample[]): void {
    this.#write((revision) => {
      const text = JSON.stringify(facts);
      this.#database
        .prepare(
          'update run set revision = iif(facts = ?1, revision, ?2), facts = ?1, last_seen_ms = ?3 where id = ?4 and ended_ms is null',
        )
        .run(text, revision, this.#now(), id);
      const insert = this.#database.prepare('insert or replace into sample values (?, ?, ?, ?, ?, ?)');
      for (const { connection, second, requests, refused } of samples) {
        insert.run(id, connection, second, requests, refused, revision);
      }
    });
  }

  /** @returns the event's id */
  addEvent(runId: number, connection: string | null, atMs: number, data: RunEventData): number {
    return this.#write((revision) => {
      const insert = 'insert into event (run_id, connection, at_ms, data, revision) values (?, ?, ?, ?, ?)';
      const { lastInsertRowid } = this.#database
        .prepare(insert)
        .run(runId, connection, atMs, JSON.stringify(data), revision);
      return Number(lastInsertRowid);
    });
  }

  changeEvent(id: number, data: RunEventData): void {
    this.#write((revision) => {
      this.#database
        .prepare('update event set data = ?, revision = ? where id = ?')
        .run(JSON.stringify(data), revision, id);
    });
  }

  end(id: number, { state, stoppedBy, error }: RunEnd): void {
    this.#write((revision) => {
      this.#database
        .prepare(
          'update run set revision = ?, state = ?, stopped_by = ?, error = ?, ended_ms = ?5, last_seen_ms = ?5 where id = ?6',
        )
        .run(revision, state, stoppedBy ?? null, error ?? null, this.#now(), id);
    });
  }

  /** Runs whose process is gone are no longer running. @returns how many there were */
  markInterrupted(): number {
    const rows = this.#database.prepare("select * from run where state = 'running'").all() as RunRow[];
    const gone = rows.filter((row) => isGone(row, this.#owner, this.#now()));
    if (gone.length === 0) return 0;
    this.#write((revision) => {
      const mark = this.#database.prepare(
        "update run set revision = ?, state = 'interrupted', ended_ms = last_seen_ms where id = ? and state = 'running'",
      );
      for (const { id } of gone) mark.run(revision, id);
    });
    return gone.length;
  }

  get(id: number): Run | undefined {
    const row = this.#database.prepare('select * from run where id = ?').get(id) as RunRow | undefined;
    return row && toRun(row);
  }

  latest(): Run | undefined {
    const row = this.#database.prepare('select * from run order by id desc limit 1').get() as RunRow | undefined;
    return row && toRun(row);
  }

  /** Newest first. @param before only runs with a smaller id @param eventful only those that wrote something or went wrong */
  list({
    limit,
    before,
    eventful = false,
  }: {
    limit: number;
    before?: number | undefined;
    eventful?: boolean;
  }): RunList {
    const rows = this.#database
      .prepare(
        `select * from run where id < ?
         ${eventful ? "and (state <> 'finished' or facts ->> '$.written' > 0 or facts ->> '$.failed' > 0)" : ''}
         order by id desc limit ?`,
      )
      .all(before ?? Number.MAX_SAFE_INTEGER, limit + 1) as RunRow[];
    return { runs: rows.slice(0, limit).map(toRun), hasMore: rows.length > limit };
  }

  /**
   * A run with what is new since a revision; `undefined` when nothing is. Without a revision, or with one that this file has
   * never had, everything: of a long run with the samples summed up, of `recentMs` only those.
   */
  changes(
    run: number | 'latest',
    { since, recentMs }: { since?: number | undefined; recentMs?: number | undefined } = {},
  ) {
    return this.#readAtOnce((): RunUpdate | undefined => {
      const found = run === 'latest' ? this.latest() : this.get(run);
      if (found === undefined) return undefined;
      const revision = this.#revision();
      const whole = since === undefined || since > revision;
      const after = whole ? -1 : since;
      const row = this.#database.prepare('select revision from run where id = ?').get(found.id) as { revision: number };
      const events = this.#database
        .prepare('select * from event where run_id = ? and revision > ? order by at_ms, id')
        .all(found.id, after) as unknown as EventRow[];
      const nowMs = this.#now();
      const samples = whole ? this.#allSamples(found, nowMs, recentMs) : this.#newSamples(found.id, after);
      if (!whole && row.revision <= after && events.length === 0 && samples.length === 0) return undefined;
      return { revision, whole, nowMs, run: found, samples, events: events.map(toEvent) };
    });
  }

  /** Hears of every write of this process. @returns a function that stops it */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => {
      this.#listeners.delete(listener);
    };
  }

  close(): void {
    this.#listeners.clear();
    closeSqlite(this.#database);
  }

  #newSamples(runId: number, after: number): Sample[] {
    return this.#database
      .prepare(
        'select connection, second, requests, refused from sample where run_id = ? and revision > ? order by second',
      )
      .all(runId, after) as unknown as Sample[];
  }

  #allSamples({ id, startedMs, endedMs }: Run, nowMs: number, recentMs: number | undefined): Sample[] {
    const untilMs = endedMs ?? nowMs;
    const fromMs = recentMs === undefined ? startedMs : Math.max(startedMs, untilMs - recentMs);
    const bin = binSecondsFor(untilMs - fromMs);
    return this.#database
      .prepare(
        // Drivers that bind numbers as floating point would not divide whole seconds.
        `select connection, second / cast(?1 as integer) * ?1 as second, sum(requests) as requests, sum(refused) as refused
         from sample where run_id = ?2 and second >= ?3 group by connection, second / cast(?1 as integer) order by 2`,
      )
      .all(bin, id, Math.floor(fromMs / 1000)) as unknown as Sample[];
  }

  #revision(): number {
    return (this.#database.prepare('select last from revision').get() as { last: number }).last;
  }

  #write<Result>(work: (revision: number) => Result): Result {
    const result = inTransaction(this.#database, () => {
      const next = this.#database.prepare('update revision set last = last + 1 returning last').get();
      return work((next as { last: number }).last);
    });
    for (const listener of [...this.#listeners]) listener();
    return result;
  }

  /** Several reads of one state: what another process writes meanwhile does not fall between them. */
  #readAtOnce<Result>(work: () => Result): Result {
    this.#database.exec('begin');
    try {
      return work();
    } finally {
      this.#database.exec('commit');
    }
  }
}

function endedEarly({ state }: Run): boolean {
  return state === 'interrupted' || state === 'stopped' || state === 'failed';
}

function samePair(last: Run, { connections }: RunFacts): boolean {
  const names = (list: readonly RunConnection[]) => list.map(({ repository }) => repository.toLowerCase()).join(' ');
  return names(last.connections) === names(connections);
}
