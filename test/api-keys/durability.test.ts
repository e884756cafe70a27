import { describe, expect, it } from 'vitest';
import { databaseKinds, emptyDatabase, openForTest } from './helpers/databases.js';
import { root } from './helpers/people.js';
import { startWriter } from './helpers/processes.js';

interface Answered {
  readonly id: string;
  readonly name: string;
  readonly status: string;
  readonly revisions: readonly string[];
}

const rounds = 12;

describe.each(databaseKinds)('kill -9 in the middle of writes on $name (K18)', (kind) => {
  it(`loses nothing that was answered, and never a change without its audit entry, ${rounds} times`, {
    timeout: 900_000,
  }, async () => {
    const database = await emptyDatabase(kind);
    const latest = new Map<string, Answered>();
    for (let round = 0; round < rounds; round++) {
      const writer = startWriter(database.url, 'forever', `round ${round}`);
      // Killed after a different number of answers each time, and not at a round moment of the writer's.
      await expect.poll(() => writer.lineCount(), { timeout: 60_000, interval: 3 }).toBeGreaterThan(10 + 7 * round);
      await writer.kill();
      expect(writer.errors()).toBe('');
      for (const answer of writer.lines<Answered>()) latest.set(answer.id, answer);
    }
    expect(latest.size).toBeGreaterThan(rounds * 15);

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
      // A change may have been kept whose answer the kill cut off: then the key and the trail both have it.
      if (trail.length === revisions.length) expect(kept).toMatchObject({ name, status });
      expect(kept.version).toBe(trail.length);
    }
    const [counts] = await database.query(
      "select (select count(*) from concordat_api_key) as keys, (select count(*) from concordat_api_key_audit where revision_type = 'Create') as created",
    );
    expect(Number(counts?.keys)).toBe(Number(counts?.created));
    expect(Number(counts?.keys)).toBeLessThanOrEqual(latest.size + rounds * 3);
  });
});
