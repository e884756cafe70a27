import { describe, expect, it } from 'vitest';
import {
  type DatabaseKind,
  databaseKinds,
  emptyDatabase,
  openForTest,
  sqlite,
  type TestDatabase,
} from './helpers/databases.js';
import { root } from './helpers/people.js';
import { startWriter } from './helpers/processes.js';

interface Answered {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly revisions: readonly string[];
}

const rounds = 12;
/** A writer does this many things at a time: so many may have been done and not answered when it ends. */
const lanes = 3;

/** The last answer about each key. */
class Answers {
  readonly latest = new Map<string, Answered>();

  add(writer: Awaited<ReturnType<typeof startWriter>>): void {
    for (const answer of writer.lines<Answered>()) this.latest.set(answer.id, answer);
  }
}

/** Everything that was answered is there, and no change without its audit entry. */
async function expectKept(kind: DatabaseKind, database: TestDatabase, { latest }: Answers, ends: number) {
  const apiKeys = await openForTest({ database: database.url, edition: 'Professional' });
  if (kind.name === 'SQLite')
    expect(await database.query('pragma integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  const trails = new Map<string, string[]>();
  for (const row of await database.query(
    'select api_key_id as id, revision_type as type from concordat_api_key_audit a order by a.id',
  )) {
    trails.set(String(row.id), [...(trails.get(String(row.id)) ?? []), String(row.type)]);
  }
  for (const { id, name, status, revisions } of latest.values()) {
    const kept = await apiKeys.get(root, id);
    const trail = trails.get(id) ?? [];
    expect(trail.slice(0, revisions.length)).toEqual(revisions);
    // A change may have been kept whose answer the end cut off: then the key and the trail both have it.
    if (trail.length === revisions.length) expect(kept).toMatchObject({ name, status });
    expect(kept.version).toBe(trail.length);
  }
  const [counts] = await database.query(
    "select (select count(*) from concordat_api_key) as keys, (select count(*) from concordat_api_key_audit where revision_type = 'Create') as created",
  );
  expect(Number(counts?.keys)).toBe(Number(counts?.created));
  expect(Number(counts?.keys)).toBeLessThanOrEqual(latest.size + ends * lanes);
}

describe.each(databaseKinds)('kill -9 in the middle of writes on $name (K18)', (kind) => {
  it(`loses nothing that was answered, and keeps no other process from writing, ${rounds} times`, {
    timeout: 900_000,
  }, async () => {
    const database = await emptyDatabase(kind);
    const answers = new Answers();
    const other = await startWriter(database.url, 'forever', 'other');
    for (let round = 0; round < rounds; round++) {
      const writer = await startWriter(database.url, 'forever', `round ${round}`);
      // Killed after a different number of answers each time, and not at a round moment of the writer's.
      await expect.poll(() => writer.lineCount(), { timeout: 120_000, interval: 3 }).toBeGreaterThan(10 + 7 * round);
      await writer.kill();
      expect(writer.errors()).toBe('');
      answers.add(writer);
      const answered = other.lineCount();
      await expect.poll(() => other.lineCount(), { timeout: 120_000 }).toBeGreaterThan(answered + 3 * lanes);
    }
    await other.kill();
    expect(other.errors()).toBe('');
    expect(answers.latest.size).toBeGreaterThan(rounds * 15);
    answers.add(other);
    await expectKept(kind, database, answers, rounds + 1);
  });
});

describe('a disk that takes no more (K18)', () => {
  it('ends a write with an error that names the file, and loses nothing that was answered', {
    timeout: 300_000,
  }, async () => {
    const database = await emptyDatabase(sqlite);
    const answers = new Answers();
    // The kernel refuses what goes beyond, first in SQLite's log.
    const writer = await startWriter(database.url, 'forever', 'writer', { maxFileKiB: 3000 });
    expect(await writer.ended()).toContain(`${database.url}: disk I/O error`);
    answers.add(writer);
    expect(answers.latest.size).toBeGreaterThan(10);
    await expectKept(sqlite, database, answers, 1);
  });
});
