import { readFile, rename, writeFile } from 'node:fs/promises';
import type { Tokens } from './tokens.js';

/** The newest refresh token of a connection, and the access token that came with it. */
export type StoredTokens = Partial<Tokens> & { refreshToken: string };

/**
 * Where the tokens of all connections are kept. A product that rotates refresh tokens takes each once: what is lost here is
 * a connection that somebody has to authorize again. For several copies of the connector this has to be a database, with a lock
 * for each connection while its token is renewed.
 */
export interface TokenStore {
  get(connection: string): Promise<StoredTokens | undefined>;
  /** Resolves once it is kept. */
  set(connection: string, tokens: StoredTokens): Promise<void>;
}

/** A file for one process, readable for its owner only; it is replaced as a whole, so a crash leaves the old one or the new. */
export class FileTokenStore implements TokenStore {
  readonly #file: string;
  #entries: Promise<Map<string, StoredTokens>> | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  async get(connection: string): Promise<StoredTokens | undefined> {
    return (await this.#read()).get(connection);
  }

  async set(connection: string, tokens: StoredTokens): Promise<void> {
    const entries = await this.#read();
    entries.set(connection, tokens);
    const write = async () => {
      await writeFile(`${this.#file}.new`, JSON.stringify([...entries]), { mode: 0o600, flush: true });
      await rename(`${this.#file}.new`, this.#file);
    };
    this.#writing = this.#writing.then(write, write);
    await this.#writing;
  }

  #read(): Promise<Map<string, StoredTokens>> {
    this.#entries ??= readFile(this.#file, 'utf8')
      .then((text) => new Map(JSON.parse(text) as [string, StoredTokens][]))
      .catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return new Map();
        this.#entries = undefined; // the next call reads again
        throw error;
      });
    return this.#entries;
  }
}
