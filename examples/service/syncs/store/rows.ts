import type { Run, RunEvent, RunFacts, RunState, RunTrigger } from '../run.js';

export interface RunRow {
  id: number;
  revision: number;
  connector: string;
  state: RunState;
  trigger_kind: RunTrigger;
  started_by: string | null;
  stopped_by: string | null;
  resumes: number | null;
  started_ms: number;
  last_seen_ms: number;
  ended_ms: number | null;
  error: string | null;
  facts: string;
  owner_id: string;
  owner_host: string;
  owner_pid: number;
}

export interface EventRow {
  id: number;
  connection: string | null;
  at_ms: number;
  data: string;
}

export function toRun(row: RunRow): Run {
  return {
    ...(JSON.parse(row.facts) as RunFacts),
    id: row.id,
    connector: row.connector,
    state: row.state,
    trigger: row.trigger_kind,
    startedBy: row.started_by,
    stoppedBy: row.stopped_by,
    resumes: row.resumes,
    startedMs: row.started_ms,
    lastSeenMs: row.last_seen_ms,
    endedMs: row.ended_ms,
    error: row.error,
  };
}

export function toEvent({ id, connection, at_ms: atMs, data }: EventRow): RunEvent {
  return { ...JSON.parse(data), id, connection, atMs };
}
