import { randomUUID } from 'node:crypto';
import type { ManagedUserDirectory } from 'concordat/admin';
import type { DirectoryUser } from 'concordat/api-keys';
import { closeSqlite, type DatabaseSyncInstance, inTransaction, openSqlite } from '../sqlite.js';

export interface NewUser {
  username: string;
  passwordHash: string;
  superAdmin: boolean;
}

interface UserRow {
  id: string;
  username: string;
  password_hash: string;
  super_admin: number;
}

const setUp = `
  pragma busy_timeout = 5000;
  pragma journal_mode = wal;
  pragma synchronous = full;
  pragma secure_delete = on;
  create table if not exists user (
    id text primary key,
    username text not null unique collate nocase,
    password_hash text not null,
    super_admin integer not null
  ) strict;`;

/** The service's own users in a SQLite file. Their ids are random, so none is ever given twice. */
export class UserStore implements ManagedUserDirectory {
  readonly #database: DatabaseSyncInstance;

  private constructor(database: DatabaseSyncInstance) {
    this.#database = database;
  }

  /** Opens the file, which only its owner can read. */
  static async open(file: string): Promise<UserStore> {
    return new UserStore(await openSqlite(file, setUp));
  }

  /** Whether nobody has put users into it yet. */
  get isNew(): boolean {
    const { user_version: version } = this.#database.prepare('pragma user_version').get() as { user_version: number };
    return version === 0;
  }

  /** @returns whether it did: not when there have been users before, even if they were deleted since. */
  createFirst(users: readonly NewUser[]): boolean {
    return inTransaction(this.#database, () => {
      if (!this.isNew) return false;
      const insert = this.#database.prepare('insert into user values (?, ?, ?, ?)');
      for (const { username, passwordHash, superAdmin } of users) {
        insert.run(randomUUID(), username, passwordHash, superAdmin ? 1 : 0);
      }
      this.#database.exec('pragma user_version = 1');
      return true;
    });
  }

  findById(userId: string): DirectoryUser | undefined {
    return this.#find('id', userId);
  }

  findByUsername(username: string): DirectoryUser | undefined {
    return this.#find('username', username);
  }

  list(): readonly DirectoryUser[] {
    const rows = this.#database.prepare('select * from user order by super_admin desc, username').all();
    return (rows as UserRow[]).map(toUser);
  }

  remove(userId: string): void {
    this.#database.prepare('delete from user where id = ?').run(userId);
  }

  setPassword(userId: string, passwordHash: string): void {
    this.#database.prepare('update user set password_hash = ? where id = ?').run(passwordHash, userId);
  }

  close(): void {
    closeSqlite(this.#database);
  }

  #find(column: 'id' | 'username', value: string): DirectoryUser | undefined {
    const row = this.#database.prepare(`select * from user where ${column} = ?`).get(value) as UserRow | undefined;
    return row && toUser(row);
  }
}

function toUser(row: UserRow): DirectoryUser {
  return {
    id: row.id,
    username: row.username,
    passwordHash: row.password_hash,
    superAdmin: row.super_admin === 1,
  };
}
