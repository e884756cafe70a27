import { type AnswerTime, answerInTime, isPromise } from './answer-in-time.js';
import type { DirectoryUser, EditionOption, UserDirectory } from './types.js';

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

  /**
   * The user of a name, looked up at every call.
   *
   * @throws Error when the user's id is no text
   */
  async findByUsername(directory: UserDirectory, username: string): Promise<DirectoryUser | undefined> {
    const user = await answerInTime(theUsers, () => directory.findByUsername(username), this.#time);
    return withTextId(user, 'findByUsername');
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
      answerInTime('The edition', () => (typeof option === 'function' ? option() : option), this.#time);
    this.#editions.set(option, edition);
    return edition;
  }

  #usersOf(directory: UserDirectory): Map<string, Promise<DirectoryUser | undefined>> {
    const users = this.#users.get(directory) ?? new Map();
    this.#users.set(directory, users);
    return users;
  }
}

function lookUp(directory: UserDirectory, userId: string): ReturnType<UserDirectory['findById']> {
  const answer = directory.findById(userId);
  // Queries of some libraries can be awaited without being instances of Promise.
  if (!isPromise(answer)) return sameUser(answer, userId);
  return Promise.resolve(answer).then((user) => sameUser(user, userId));
}

/** @throws Error when the directory returns another user, such as one whose number the id begins with */
function sameUser(found: DirectoryUser | undefined | null, userId: string): DirectoryUser | undefined {
  const user = withTextId(found, 'findById');
  if (user === undefined || user.id === userId) return user;
  throw new Error(`\`users.findById\` was asked for the user ${userId} and returned ${user.id}.`);
}

/** @throws Error when the id is a number, as in many a database: it would be no owner of a key */
function withTextId(user: DirectoryUser | undefined | null, method: keyof UserDirectory): DirectoryUser | undefined {
  if (user === undefined || user === null) return undefined;
  if (typeof user.id === 'string') return user;
  throw new Error(`\`users.${method}\` returned a user whose \`id\` is not text: ${user.id}.`);
}
