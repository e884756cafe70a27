import { createHash } from 'node:crypto';
import { UnauthorizedError } from 'concordat';
import type { StoredTokens, TokenStore } from './token-store.js';
import { type OAuthClient, requestTokens } from './tokens.js';

/** Renewed so long before its end: a request may be under way for a while. */
const earlyMs = 30_000;

/** The connections of a product that rotates refresh tokens: each has a chain of them, and the store has the last link. */
export class Connections {
  readonly #client: OAuthClient;
  readonly #store: TokenStore;
  readonly #renewing = new Map<string, Promise<string>>();
  readonly #refused = new Map<string, string>();

  constructor(client: OAuthClient, store: TokenStore) {
    this.#client = client;
    this.#store = store;
  }

  /**
   * Takes up a connection by the refresh token in its parameters: the first of the chain, whatever has become of it since. A
   * new authorization brings another one, and so another chain.
   *
   * @returns its name, which nobody can tell without that token: it will do for a session.
   */
  async open(firstToken: string): Promise<string> {
    const connection = createHash('sha256').update(firstToken).digest('base64url');
    if (!(await this.#store.get(connection))) await this.#store.set(connection, { refreshToken: firstToken });
    return connection;
  }

  /** @throws UnauthorizedError when the connection has to be authorized again. */
  async accessToken(connection: string): Promise<string> {
    return this.#usable(connection, await this.#store.get(connection)) ?? this.#renewOnce(connection);
  }

  /** The product refuses this access token before its time: the next login gets another one. */
  refused(connection: string, accessToken: string): void {
    this.#refused.set(connection, accessToken);
  }

  #usable(connection: string, tokens: StoredTokens | undefined): string | undefined {
    const { accessToken, expiresAt = 0 } = tokens ?? {};
    const isOver = expiresAt - earlyMs <= Date.now() || accessToken === this.#refused.get(connection);
    return isOver ? undefined : accessToken;
  }

  /** One at a time, whoever asks: the second to use a refresh token is refused, and often ends the whole chain. */
  #renewOnce(connection: string): Promise<string> {
    const running = this.#renewing.get(connection);
    if (running) return running;
    const renewing = this.#renew(connection).finally(() => this.#renewing.delete(connection));
    this.#renewing.set(connection, renewing);
    return renewing;
  }

  async #renew(connection: string): Promise<string> {
    const stored = await this.#store.get(connection);
    if (!stored) throw new UnauthorizedError('The connection is not known: log in again.');
    const renewed = this.#usable(connection, stored);
    if (renewed !== undefined) return renewed; // by somebody who was faster
    const { refreshToken } = stored;
    const tokens = await requestTokens(this.#client, { grant_type: 'refresh_token', refresh_token: refreshToken });
    // Kept before it is used: from here on the one before is worth nothing.
    await this.#store.set(connection, { ...tokens, refreshToken: tokens.refreshToken ?? refreshToken });
    return tokens.accessToken;
  }
}
