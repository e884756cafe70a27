import { isConnectorError } from 'concordat';
import { createConnector, endSystemFetch, readResponse } from 'concordat/connector';
import { z } from 'zod';
import { Connections } from './connections.js';
import type { TokenStore } from './token-store.js';

export interface RefreshTokenConnectorOptions {
  productUrl: string;
  clientId: string;
  clientSecret: string;
  store: TokenStore;
}

/**
 * The other case: somebody has authorized the connection in a browser, and its parameters hold the refresh token that came of
 * it. The product gives a new one each time and takes none twice, but parameters and sessions cannot be rewritten by a
 * route: so the connector keeps the tokens, and the session is only the name of the connection.
 */
export function createRefreshTokenConnector({ productUrl, store, ...client }: RefreshTokenConnectorOptions) {
  const product = endSystemFetch();
  const connections = new Connections({ ...client, tokenUrl: `${productUrl}/token` }, store);

  const connector = createConnector({
    initialize: {
      parameters: z.object({ refreshToken: z.string().min(1) }),
      handler: async ({ parameters }) => {
        const connection = await connections.open(parameters.refreshToken);
        await connections.accessToken(connection); // a 401 here: it has to be authorized again
        return { 'x-connection': connection };
      },
    },
    session: z.object({ 'x-connection': z.string().min(1) }),
  });

  /** A call in the name of a connection. A 401 goes on to the service, which logs in: that renews the token. */
  async function call(connection: string, path: string, init: RequestInit): Promise<Response> {
    const accessToken = await connections.accessToken(connection);
    try {
      return await product(productUrl + path, { ...init, headers: { authorization: `Bearer ${accessToken}` } });
    } catch (error) {
      if (isConnectorError(error, 'unauthorized')) connections.refused(connection, accessToken);
      throw error;
    }
  }

  connector.get('/items', async (c) => {
    const answer = await call(c.get('session')['x-connection'], '/items', { signal: c.req.raw.signal });
    return c.json(await readResponse(answer, z.json()));
  });
  return connector;
}
