/**
 * Both kinds of OAuth at work, against a product of this process's own: `npx tsx examples/oauth/main.ts`.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { createClientCredentialsConnector } from './client-credentials.js';
import { registered, startEmulatedProduct } from './emulated-product.js';
import { createRefreshTokenConnector } from './refresh-tokens.js';
import { FileTokenStore } from './token-store.js';

const product = await startEmulatedProduct();
const folder = await mkdtemp(path.join(tmpdir(), 'concordat-oauth-'));
const store = new FileTokenStore(path.join(folder, 'tokens.json'));
const connectors = {
  'client credentials': [createClientCredentialsConnector({ productUrl: product.url }), registered],
  'refresh tokens': [
    createRefreshTokenConnector({ productUrl: product.url, ...registered, store }),
    { refreshToken: product.authorize() },
  ],
} as const;

for (const [name, [connector, parameters]] of Object.entries(connectors)) {
  const server = await serve(connector, { port: 0 });
  const client = createConnectorClient({ baseUrl: server.url, initialize: { parameters } });
  client.on('initialize', ({ reason }) => console.log(`${name}: login (${reason})`));
  for (let round = 1; round <= 2; round++) {
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.get('/items')));
    console.log(`${name}: ${answers.length} answers`);
    product.expireAccessTokens();
  }
  await client.close();
  await server.close();
}
console.log(`The token endpoint: ${product.grants.join(', ')}`);
await product.close();
await rm(folder, { recursive: true });
