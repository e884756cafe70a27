import { randomUUID } from 'node:crypto';
import type { ManagedUserDirectory } from 'concordat/admin';
import type { DirectoryUser } from 'concordat/api-keys';
import { closeSqlite, type DatabaseSyncInstance, inTransaction, openSqlite } from '../sqlite.js';

export interface NewUser {
  username: string;
  passwordHash: string;
  superAdmin: boolean;
  permissions: readonly string[];
}

interface UserRow {
  id: string;
  username: string;
  password_hash: string;
  super_admin: number;
  /** JSON. */
  permissions: string;
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
  ) strict;
  create table if not exists user_permission (user_id text not null, permission text not null) strict;`;

const select = `select *, (
    select json_group_array(permission) from user_permission where user_id = user.id
  ) as permissions from user`;

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
      const permit = this.#database.prepare('insert into user_permission values (?, ?)');
      for (const { username, passwordHash, superAdmin, permissions } of users) {
        const id = randomUUID();
        insert.run(id, username, passwordHash, superAdmin ? 1 : 0);
        for (const permission of permissions) permit.run(id, permission);
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
    const rows = this.#database.prepare(`${select} order by super_admin desc, username`).all();
    return (rows as UserRow[]).map(toUser);
  }

  remove(userId: string): void {
    inTransaction(this.#database, () => {
      this.#database.prepare('delete from user_permission where user_id = ?').run(userId);
      this.#database.prepare('delete from user where id = ?').run(userId);
    });
  }

  setPassword(userId: string, passwordHash: string): void {
    this.#database.prepare('update user set password_hash = ? where id = ?').run(passwordHash, userId);
  }

  close(): void {
    closeSqlite(this.#database);
  }

  #find(column: 'id' | 'username', value: string): DirectoryUser | undefined {
    const row = this.#database.prepare(`${select} where ${column} = ?`).get(value) as UserRow | undefined;
    return row && toUser(row);
  }
}

function toUser(row: UserRow): DirectoryUser {
  return {
    id: row.id,
    username: row.username,
    passwordHash: row.password_hash,
    superAdmin: row.super_admin === 1,
    permissions: JSON.parse(row.permissions) as string[],
  };
}
