import { type AnswerTime, answerInTime, isPromise } from './answer-in-time.js';
import { checkUser } from './check-user.js';
import type { DirectoryUser, EditionOption, FoundUser, UserDirectory } from './types.js';

const theUsers = 'The directory of users';

/**
 * What one request has looked up: every layer that handles it shares one look-up of each user and one of the edition,
 * which may be round trips to another machine. Create one for each request and never keep it: the next request must see
 * what has changed (rule K11). A look-up that fails or takes too long rejects with an `ApiKeyError` of kind
 * `unavailable`: nobody has rights that could not be looked up (rule K19).
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
  readonly #time: AnswerTime;

  /** @param time how long one look-up may take */
  constructor(time: AnswerTime = {}) {
    this.#time = time;
  }

  /** The user, looked up once in each directory. */
  findUser(directory: UserDirectory, userId: string): Promise<DirectoryUser | undefined> {
    const users = this.#usersOf(directory);
    const user = users.get(userId) ?? answerInTime(theUsers, () => lookUp(directory, userId), this.#time);
    users.set(userId, user);
    return user;
  }

  /** The user of a name, looked up at every call. */
  findByUsername(directory: UserDirectory, username: string): Promise<DirectoryUser | undefined> {
    const check = (user: FoundUser) => checkUser(user, 'findByUsername');
    return answerInTime(theUsers, () => checked(directory.findByUsername(username), check), this.#time);
  }

  /** All users, looked up at every call. */
  listUsers(directory: {
    list(): readonly DirectoryUser[] | Promise<readonly DirectoryUser[]>;
  }): Promise<readonly DirectoryUser[]> {
    return answerInTime(theUsers, () => checked(directory.list(), checkList), this.#time);
  }

  /**
   * What another function of the host returns, under the same conditions as a look-up.
   *
   * @param what the subject of the error's message, such as `The directory of users`
   */
  ask<T>(what: string, ask: () => T | Promise<T>): Promise<T> {
    return answerInTime(what, ask, this.#time);
  }

  /** Keeps a user who was looked up in another way, such as by username. */
  remember(directory: UserDirectory, user: DirectoryUser): void {
    this.#usersOf(directory).set(user.id, Promise.resolve(user));
  }

  /** The name of the edition; a function is called once. */
  findEdition(option: EditionOption): Promise<string> {
    const edition =
      this.#editions.get(option) ??
      answerInTime(
        'The edition',
        () => checked(typeof option === 'function' ? option() : option, checkEdition),
        this.#time,
      );
    this.#editions.set(option, edition);
    return edition;
  }

  #usersOf(directory: UserDirectory): Map<string, Promise<DirectoryUser | undefined>> {
    const users = this.#users.get(directory) ?? new Map();
    this.#users.set(directory, users);
    return users;
  }
}

function lookUp(directory: UserDirectory, userId: string) {
  return checked(directory.findById(userId), (found: FoundUser) => sameUser(found, userId));
}

/** Queries of some libraries can be awaited without being instances of Promise. */
function checked<T, R>(answer: T | Promise<T>, check: (value: T) => R): R | Promise<R> {
  return isPromise(answer) ? Promise.resolve(answer).then(check) : check(answer);
}

/** @throws Error when the directory returns another user, such as one whose number the id begins with */
function sameUser(found: FoundUser, userId: string): DirectoryUser | undefined {
  const user = checkUser(found, 'findById');
  if (user === undefined || user.id === userId) return user;
  throw new Error(`\`users.findById\` was asked for the user ${userId} and returned ${user.id}.`);
}

function checkList(users: readonly DirectoryUser[]): readonly DirectoryUser[] {
  if (!Array.isArray(users)) throw new Error('`users.list` did not return an array.');
  return users.flatMap((user) => checkUser(user, 'list') ?? []);
}

/** @throws Error when it is no name: without a license's answer, all keys would end with a 401 that tells nobody why */
function checkEdition(edition: unknown): string {
  if (typeof edition === 'string' && edition !== '') return edition;
  throw new Error(`\`edition\` must return the name of an edition, and returned ${whatIs(edition)}.`);
}

function whatIs(value: unknown): string {
  if (value === '') return 'an empty string';
  const isLong = typeof value === 'function' || (typeof value === 'object' && value !== null);
  return isLong ? `not a string, but: ${typeof value}` : String(value);
}
