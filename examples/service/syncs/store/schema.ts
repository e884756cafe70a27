/**
 * `revision` numbers what is written down, over all runs, so that a page can ask for what is new. Not synced to the disk
 * with every write: what a killed process has written is kept, what a machine without power had in hand may be not.
 */
export const setUp = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma foreign_keys = on;
  create table if not exists run (
    id integer primary key autoincrement,
    revision integer not null,
    connector text not null,
    state text not null,
    trigger_kind text not null,
    started_by text,
    stopped_by text,
    resumes integer,
    started_ms integer not null,
    last_seen_ms integer not null,
    ended_ms integer,
    error text,
    facts text not null,
    owner_id text not null,
    owner_host text not null,
    owner_pid integer not null
  ) strict;
  create index if not exists run_by_state on run (state) where state = 'running';
  create table if not exists sample (
    run_id integer not null references run (id) on delete cascade,
    connection text not null,
    second integer not null,
    requests integer not null,
    refused integer not null,
    revision integer not null,
    primary key (run_id, connection, second)
  ) strict, without rowid;
  create index if not exists sample_by_revision on sample (run_id, revision);
  create table if not exists event (
    id integer primary key autoincrement,
    run_id integer not null references run (id) on delete cascade,
    connection text,
    at_ms integer not null,
    data text not null,
    revision integer not null
  ) strict;
  create index if not exists event_by_revision on event (run_id, revision);
  create table if not exists revision (last integer not null) strict;
  insert into revision select 0 where not exists (select * from revision);`;
