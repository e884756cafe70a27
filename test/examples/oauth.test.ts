import { mkdir, mkdtemp, readFile, rm, rmdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { createConnectorClient } from 'concordat/client';
import { serve } from 'concordat/connector';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createClientCredentialsConnector } from '../../examples/oauth/client-credentials.js';
import { registered, startEmulatedProduct } from '../../examples/oauth/emulated-product.js';
import { createRefreshTokenConnector } from '../../examples/oauth/refresh-tokens.js';
import { FileTokenStore } from '../../examples/oauth/token-store.js';

async function startProduct(options?: { expiresIn: number }) {
  const product = await startEmulatedProduct(options);
  onTestFinished(() => product.close());
  return product;
}

/** A connector on a port, and a client of it as the service has one. */
async function connect(connector: Parameters<typeof serve>[0], parameters: Record<string, string>) {
  const server = await serve(connector, { port: 0 });
  const client = createConnectorClient({ baseUrl: server.url, initialize: { parameters }, retry: { retries: 0 } });
  const logins: string[] = [];
  client.on('initialize', ({ reason }) => logins.push(reason));
  const close = async () => {
    await client.close();
    await server.close({ graceMs: 0 });
  };
  onTestFinished(close);
  const readAtOnce = (count: number) => Promise.all(Array.from({ length: count }, () => client.get('/items')));
  return { client, logins, readAtOnce, close };
}

async function newFile() {
  const folder = await mkdtemp(path.join(tmpdir(), 'concordat-oauth-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return path.join(folder, 'tokens.json');
}

const times = (count: number, grant: string) => Array.from({ length: count }, () => grant);

describe('client credentials', () => {
  test('an access token that is over is one login, and no request fails (S4)', async () => {
    const product = await startProduct();
    const connector = createClientCredentialsConnector({ productUrl: product.url });
    const { readAtOnce, logins } = await connect(connector, registered);
    for (let round = 0; round < 3; round++) {
      expect(await readAtOnce(10)).toHaveLength(10);
      product.expireAccessTokens();
    }
    expect(logins).toEqual(['first', 'expired', 'expired']);
    expect(product.grants).toEqual(times(3, 'client_credentials 200'));
  });

  test('a page of maintenance in place of JSON is a 502 that says so, at the login and later (E3)', async () => {
    const product = await startProduct();
    let isDown = false;
    const server = createServer(async (request, response) => {
      if (isDown) return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Back soon</h1>');
      const body = request.method === 'POST' ? await buffer(request) : undefined;
      const { authorization = '', 'content-type': type = '' } = request.headers;
      const init = { method: request.method, headers: { authorization, 'content-type': type }, body } as RequestInit;
      const answer = await fetch(product.url + request.url, init);
      return response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text());
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const productUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { client } = await connect(createClientCredentialsConnector({ productUrl }), registered);
    await client.get('/items');
    isDown = true;
    const invalid = { status: 502, code: 'END_SYSTEM_INVALID_RESPONSE' };
    await expect(client.get('/items')).rejects.toMatchObject(invalid);
    const other = await connect(createClientCredentialsConnector({ productUrl }), registered);
    await expect(other.client.get('/items')).rejects.toMatchObject({ name: 'InitializeError', ...invalid });
  });

  test('a wrong secret is a 401 of initialize with the code of OAuth (S5)', async () => {
    const product = await startProduct();
    const connector = createClientCredentialsConnector({ productUrl: product.url });
    const { client } = await connect(connector, { ...registered, clientSecret: 'wrong' });
    await expect(client.get('/items')).rejects.toMatchObject({
      name: 'InitializeError',
      status: 401,
      code: 'invalid_client',
    });
  });
});

describe('refresh tokens that are good for once', () => {
  async function start(product: Awaited<ReturnType<typeof startProduct>>, file: string, refreshToken: string) {
    const store = new FileTokenStore(file);
    return connect(createRefreshTokenConnector({ productUrl: product.url, ...registered, store }), { refreshToken });
  }

  test('are renewed once for all requests under way, as often as it takes', async () => {
    const product = await startProduct();
    const { readAtOnce, logins } = await start(product, await newFile(), product.authorize());
    for (let round = 0; round < 5; round++) {
      expect(await readAtOnce(10)).toHaveLength(10);
      product.expireAccessTokens();
    }
    expect(logins).toEqual(['first', ...times(4, 'expired')]);
    expect(product.grants).toEqual(times(5, 'refresh_token 200'));
  });

  test('are renewed before an access token is over, by the routes themselves and once', async () => {
    const product = await startProduct({ expiresIn: 1 });
    const { readAtOnce, logins } = await start(product, await newFile(), product.authorize());
    for (let round = 0; round < 3; round++) expect(await readAtOnce(10)).toHaveLength(10);
    expect(logins).toEqual(['first']);
    expect(new Set(product.grants)).toEqual(new Set(['refresh_token 200']));
  });

  test('survive a restart of the connector, with the parameters of old', async () => {
    const product = await startProduct();
    const [file, refreshToken] = [await newFile(), product.authorize()];
    for (let restart = 0; restart < 3; restart++) {
      const { readAtOnce, close } = await start(product, file, refreshToken);
      expect(await readAtOnce(3)).toHaveLength(3);
      product.expireAccessTokens();
      expect(await readAtOnce(3)).toHaveLength(3);
      await close();
    }
    expect(new Set(product.grants)).toEqual(new Set(['refresh_token 200']));
    // Nobody else may read them, and the first one is no longer among them.
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(file, 'utf8')).not.toContain(refreshToken);
  });

  test('that were taken back are a 401 which ends in an InitializeError; a new authorization goes on', async () => {
    const product = await startProduct();
    const file = await newFile();
    const { client, readAtOnce } = await start(product, file, product.authorize());
    await readAtOnce(3);
    product.revoke();
    await expect(client.get('/items')).rejects.toMatchObject({
      name: 'InitializeError',
      status: 401,
      code: 'invalid_grant',
    });
    const again = await start(product, file, product.authorize());
    expect(await again.readAtOnce(3)).toHaveLength(3);
  });

  test('are read again after the file could not be read', async () => {
    const file = await newFile();
    await mkdir(file);
    const store = new FileTokenStore(file);
    await expect(store.get('ada')).rejects.toMatchObject({ code: 'EISDIR' });
    await rmdir(file);
    await store.set('ada', { refreshToken: 'first' });
    expect(await new FileTokenStore(file).get('ada')).toEqual({ refreshToken: 'first' });
  });

  test('the product ends a chain of which one comes twice (control)', async () => {
    const product = await startProduct();
    const refreshToken = product.authorize();
    // Without a store of its own each connector begins with the first token.
    await (await start(product, await newFile(), refreshToken)).readAtOnce(1);
    const { client } = await start(product, await newFile(), refreshToken);
    await expect(client.get('/items')).rejects.toMatchObject({ status: 401, code: 'invalid_grant' });
  });
});
