import type { DirectoryUser, EditionOption, UserDirectory } from './types.js';

/**
 * What one request has looked up: every layer that handles it shares one look-up of each user and one of the edition,
 * which may be round trips to another machine. Create one for each request and never keep it: the next request must see
 * what has changed (rule K11).
 *
 * @example
 * const lookups = new RequestLookups()
 * const verification = await apiKeys.verify(request.headers, lookups)
 * if (verification.outcome === 'authenticated') {
 *   const user = await lookups.findUser(users, verification.userId) // already looked up by `verify`
 * }
 */
export class RequestLookups {
  readonly #users = new Map<UserDirectory, Map<string, Promise<DirectoryUser | undefined>>>();
  readonly #editions = new Map<EditionOption, Promise<string>>();

  /** The user, looked up once in each directory. */
  findUser(directory: UserDirectory, userId: string): Promise<DirectoryUser | undefined> {
    const users = this.#usersOf(directory);
    const user = users.get(userId) ?? lookUp(directory, userId);
    users.set(userId, user);
    return user;
  }

  /** Keeps a user who was looked up in another way, such as by username. */
  remember(directory: UserDirectory, user: DirectoryUser): void {
    this.#usersOf(directory).set(user.id, Promise.resolve(user));
  }

  /** The name of the edition; a function is called once. */
  findEdition(option: EditionOption): Promise<string> {
    const edition = this.#editions.get(option) ?? readEdition(option);
    this.#editions.set(option, edition);
    return edition;
  }

  #usersOf(directory: UserDirectory): Map<string, Promise<DirectoryUser | undefined>> {
    const users = this.#users.get(directory) ?? new Map();
    this.#users.set(directory, users);
    return users;
  }
}

async function lookUp(directory: UserDirectory, userId: string): Promise<DirectoryUser | undefined> {
  return (await directory.findById(userId)) ?? undefined;
}

async function readEdition(option: EditionOption): Promise<string> {
  return typeof option === 'function' ? await option() : option;
}
