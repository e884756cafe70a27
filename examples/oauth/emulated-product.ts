/** A product with OAuth, small and strict: it takes each refresh token once, and ends the whole chain when one comes again. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

export const registered = { clientId: 'connector', clientSecret: 'client secret' };

const authorization = `Basic ${Buffer.from('connector:client%20secret').toString('base64')}`;

interface Chain {
  current: string;
  spent: Set<string>;
  isOver: boolean;
}

export interface EmulatedProduct {
  url: string;
  /** Somebody authorizes the connector in a browser: the refresh token that comes of it. */
  authorize(): string;
  /** All access tokens are over at once, whatever they were told of their time. */
  expireAccessTokens(): void;
  /** Somebody takes the authorization back. */
  revoke(): void;
  /** What the token endpoint was asked for and answered, such as `refresh_token 200`. */
  readonly grants: readonly string[];
  close(): Promise<void>;
}

export async function startEmulatedProduct({ expiresIn = 3600 } = {}): Promise<EmulatedProduct> {
  const accessTokens = new Set<string>();
  const chains: Chain[] = [];
  const grants: string[] = [];

  const newToken = () => {
    const token = randomUUID();
    accessTokens.add(token);
    return { access_token: token, token_type: 'Bearer', expires_in: expiresIn };
  };
  const refusal = (error: string, description: string) => ({
    status: 400,
    body: { error, error_description: description },
  });

  async function grant(request: IncomingMessage) {
    const form = new URLSearchParams(await text(request));
    const type = form.get('grant_type') ?? '';
    const answer = decide(type, form.get('refresh_token') ?? '', request.headers.authorization);
    grants.push(`${type} ${answer.status}`);
    return answer;
  }

  function decide(type: string, token: string, sent: string | undefined) {
    if (sent !== authorization) return refusal('invalid_client', 'No such client.');
    if (type === 'client_credentials') return { status: 200, body: newToken() };
    const chain = chains.find(({ current, spent }) => current === token || spent.has(token));
    if (chain?.spent.has(token)) chain.isOver = true;
    if (!chain || chain.isOver) return refusal('invalid_grant', 'The refresh token is over.');
    chain.spent.add(token);
    chain.current = randomUUID();
    return { status: 200, body: { ...newToken(), refresh_token: chain.current } };
  }

  const server = createServer(async (request, response) => {
    const isAllowed = accessTokens.has(request.headers.authorization?.replace('Bearer ', '') ?? '');
    const { status, body } =
      request.url === '/token'
        ? await grant(request)
        : isAllowed
          ? { status: 200, body: [{ id: 7, title: 'Lamp' }] }
          : { status: 401, body: { code: 'TOKEN_EXPIRED', message: 'The access token is over.' } };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authorize() {
      const chain = { current: randomUUID(), spent: new Set<string>(), isOver: false };
      chains.push(chain);
      return chain.current;
    },
    expireAccessTokens: () => accessTokens.clear(),
    revoke() {
      accessTokens.clear();
      for (const chain of chains) chain.isOver = true;
    },
    grants,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
