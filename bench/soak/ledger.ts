import { openSqlite } from '../../examples/service/sqlite.js';

interface Row {
  readonly marker: string;
  readonly value: number;
  readonly times: number;
}

/** Compares what the services have in their journals with what the end system has: once each, and nothing else. */
export async function compareLedgers(ledgerFile: string, journalFiles: readonly string[]): Promise<string[]> {
  const complaints: string[] = [];
  const ledger = await openSqlite(ledgerFile, 'pragma busy_timeout = 5000');
  const rows = ledger.prepare('select marker, max(value) as value, count(*) as times from entry group by marker').all();
  const entries = new Map((rows as unknown as Row[]).map((row) => [row.marker, row]));
  ledger.close();
  for (const file of journalFiles) {
    const journal = await openSqlite(file, 'pragma busy_timeout = 5000');
    for (const { marker, value, done } of journal.prepare('select marker, value, done from entry').all() as {
      marker: string;
      value: number;
      done: number;
    }[]) {
      const entry = entries.get(marker);
      entries.delete(marker);
      if (done === 0) complaints.push(`the service has not finished ${marker}`);
      if (entry === undefined) complaints.push(`the end system has lost ${marker}`);
      else if (entry.times > 1) complaints.push(`the end system has ${marker} ${entry.times} times`);
      else if (entry.value !== value) complaints.push(`the end system has ${marker} with ${entry.value}, not ${value}`);
    }
    journal.close();
  }
  for (const marker of entries.keys()) complaints.push(`no service has written ${marker}`);
  return complaints;
}

/** The database of keys against what callers were told: nothing confirmed is lost, no change is without its audit entry. */
export async function compareKeys(file: string, confirmed: ReadonlyMap<string, string>): Promise<string[]> {
  const complaints: string[] = [];
  const database = await openSqlite(file, 'pragma busy_timeout = 5000');
  const [check] = database.prepare('pragma integrity_check').all() as { integrity_check: string }[];
  if (check?.integrity_check !== 'ok') complaints.push(`the database of keys is damaged: ${check?.integrity_check}`);
  const find = database.prepare('select revoked_on, version from concordat_api_key where id = ?');
  const count = database.prepare('select count(*) as entries from concordat_api_key_audit where api_key_id = ?');
  for (const [id, status] of confirmed) {
    const row = find.get(id) as { revoked_on: number | null; version: number } | undefined;
    if (row === undefined) complaints.push(`key ${id} is lost`);
    else if ((row.revoked_on !== null) !== (status === 'Revoked')) complaints.push(`key ${id} is not ${status}`);
    const { entries } = count.get(id) as { entries: number };
    if (row !== undefined && row.version !== entries)
      complaints.push(`key ${id} has version ${row.version} and ${entries} audit entries`);
  }
  database.close();
  return complaints;
}
