import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { foldForSearch } from '../../internal/index.js';
import type { Store } from './connection.js';
import type { Builder, KeyRow } from './key-records.js';
import { searchTable } from './schema.js';
import { trigramIndex } from './search-index.js';

/** With more matches than this, walking the rows in order finds a page soon enough. */
const manyMatches = 5000;

export interface KeySearch {
  /** Part of a name or a description, in its search form. */
  readonly text: string;
  /** The start of an id, if the text can be one. */
  readonly idPrefix: string | undefined;
  /** The ids that {@link searchIds} found: no other key matches. */
  readonly ids?: readonly string[] | undefined;
}

/** What a search looks in. Each part is one line, so no search spans two of them. */
export function searchText(row: Pick<KeyRow, 'name_search' | 'owner_search' | 'description'>): string {
  return [row.name_search, row.owner_search, foldForSearch(row.description)].map(inOneLine).join('\n');
}

/**
 * The ids that a search finds among all keys, or `undefined` when there are many. With trigrams it reads only rows that
 * match; without them, or for fewer than three characters, the texts of all keys.
 */
export async function searchIds(store: Store, { text, idPrefix }: KeySearch): Promise<string[] | undefined> {
  const { rows } = await sql<{ id: string }>`${byText(store, text)}
    union all select id from ${sql.table(searchTable)} where ${startsWith(idPrefix ?? '-')}
    limit ${manyMatches + 1}`.execute(store.kysely);
  return rows.length > manyMatches ? undefined : rows.map(({ id }) => id);
}

function byText({ dialect, hasTrigrams }: Store, text: string) {
  if (dialect === 'sqlite' && hasTrigrams && [...text].length >= 3) {
    // FTS5 has an index for GLOB, but none for LIKE with an escape.
    const pattern = `*${text.replace(/[*?[]/g, '[$&]')}*`;
    return sql`select id from ${sql.table(trigramIndex)} as trigrams join ${sql.table(searchTable)} as texts
      on texts.number = trigrams.rowid where trigrams.text glob ${pattern}`;
  }
  return sql`select id from ${sql.table(searchTable)} where ${contains(sql`text`, text)}`;
}

export function searchCondition(builder: Builder, { text, idPrefix, ids }: KeySearch) {
  if (ids !== undefined) return builder('id', 'in', ids.length === 0 ? ['-'] : ids);
  // A value for each key that is passed: PostgreSQL would collect all matches first for an `exists`.
  const itsText = sql`(select text from ${sql.table(searchTable)} as texts where texts.id = ${sql.ref('concordat_api_key.id')})`;
  const inText = contains(itsText, text);
  const isMatch = idPrefix === undefined ? inText : builder.or([inText, startsWith(idPrefix)]);
  // Of the bare comparison PostgreSQL expects next to no match, and compiles a plan for much longer than that runs.
  return sql<SqlBool>`coalesce(${isMatch}, false)`;
}

function contains(column: RawBuilder<unknown>, text: string) {
  // No backslash: PostgreSQL may be set to read it as an escape in the statement, too.
  return sql<SqlBool>`${column} like ${`%${text.replace(/[!%_]/g, '!$&')}%`} escape '!'`;
}

/** `~` sorts after every letter and digit. */
function startsWith(idPrefix: string) {
  return sql<SqlBool>`id >= ${idPrefix} and id < ${`${idPrefix}~`}`;
}

function inOneLine(text: string): string {
  return text.replace(/\s+/g, ' ');
}
