import { createConnector, endSystemFetch, readResponse } from 'concordat/connector';
import { z } from 'zod';
import { requestTokens } from './tokens.js';

/**
 * The simple case: the connector logs in with credentials that stay good. The access token is the session, so nothing is
 * stored: when it is over, the product's 401 has the service call initialize, which gets the next one.
 */
export function createClientCredentialsConnector({ productUrl }: { productUrl: string }) {
  const product = endSystemFetch();
  const connector = createConnector({
    initialize: {
      parameters: z.object({ clientId: z.string().min(1), clientSecret: z.string().min(1) }),
      handler: async ({ parameters }) => {
        const client = { ...parameters, tokenUrl: `${productUrl}/token` };
        const { accessToken } = await requestTokens(client, { grant_type: 'client_credentials' });
        return { 'x-access-token': accessToken };
      },
    },
    session: z.object({ 'x-access-token': z.string().min(1) }),
  });

  connector.get('/items', async (c) => {
    const headers = { authorization: `Bearer ${c.get('session')['x-access-token']}` };
    const answer = await product(`${productUrl}/items`, { headers, signal: c.req.raw.signal });
    return c.json(await readResponse(answer, z.json()));
  });
  return connector;
}
