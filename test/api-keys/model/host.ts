import type { DirectoryUser } from 'concordat/api-keys';
import type { Person, World } from './world.js';

/** A clock of one process: the time of day jumps as it is told, waits only go forward. */
export class JumpingClock {
  #wallMs: number;
  #monotonicMs = 0;
  #timers = new Map<object, { dueMs: number; callback: () => void }>();

  constructor(wallMs: number) {
    this.#wallMs = wallMs;
  }

  now = (): number => this.#wallMs;
  monotonic = (): number => this.#monotonicMs;

  setTimer = (delayMs: number, callback: () => void) => {
    const id = {};
    this.#timers.set(id, { dueMs: this.#monotonicMs + delayMs, callback });
    return { cancel: () => void this.#timers.delete(id), hold: () => {} };
  };

  set(wallMs: number): void {
    this.#monotonicMs += Math.max(0, wallMs - this.#wallMs);
    this.#wallMs = wallMs;
    for (const [id, { dueMs, callback }] of [...this.#timers]) {
      if (dueMs > this.#monotonicMs) continue;
      this.#timers.delete(id);
      callback();
    }
  }
}

const person = (id: string, username: string, rights: Partial<Person> = {}): Person => ({
  id,
  username,
  permissions: [],
  roles: [],
  ...rights,
});

/** The people of every plan: two without rights, one for each way to have them. */
export const everybody: readonly Person[] = [
  person('u-ada', 'ada'),
  person('u-bob', 'bob', { permissions: ['Reports – Read'], roles: ['Editor'] }),
  person('u-mia', 'mia', { permissions: ['User Management – Write'] }),
  person('u-rue', 'rue', { roles: ['Super Admin'] }),
  person('u-sue', 'sue', { superAdmin: true }),
];

/** The sixth is nobody whom the directory knows. */
export const idOf = (who: number) => everybody[who]?.id ?? 'u-ghost';

/** The host's directory and license, which change and fail while calls are under way. */
export class Host {
  people: readonly Person[] = everybody;
  edition = 'Professional';
  trouble: World['trouble'] = 'none';

  readonly users = {
    findById: async (id: string): Promise<DirectoryUser | undefined> => {
      if (this.trouble === 'users') throw new Error('The directory is down.');
      return this.people.find((one) => one.id === id);
    },
    findByUsername: async (username: string): Promise<DirectoryUser | undefined> =>
      this.people.find((one) => one.username === username),
  };

  readonly askEdition = async (): Promise<string> => {
    if (this.trouble === 'edition') throw new Error('The license server is down.');
    return this.edition;
  };
}

const without = { permissions: [], roles: [], superAdmin: false };

/** The directory after one change of a user. */
export function changed(people: readonly Person[], id: string, change: string): readonly Person[] {
  if (change === 'remove') return people.filter((one) => one.id !== id);
  if (change === 'restore') {
    const original = everybody.find((one) => one.id === id);
    return original === undefined ? people : [...people.filter((one) => one.id !== id), original];
  }
  const changes: Record<string, (one: Person) => Partial<Person>> = {
    disable: () => ({ enabled: false }),
    enable: () => ({ enabled: true }),
    grant: () => ({ permissions: ['Reports – Read', 'User Management – Write'] }),
    'revoke-rights': () => without,
    'grant-otherwise': () => ({ permissions: ['user management - write'] }),
    'near-miss': () => ({
      ...without,
      permissions: ['User Management – Read', 'Write'],
      roles: ['Super Administrator'],
    }),
    'super-role': () => ({ ...without, roles: ['Editor', 'Super Admin'] }),
    'super-flag': () => ({ ...without, superAdmin: true }),
    rename: ({ username }) => ({ username: `${username}2` }),
  };
  return people.map((one) => (one.id === id ? { ...one, ...changes[change]?.(one) } : one));
}
