import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startAdministration } from '../../../examples/service/administration/start-administration.js';
import { newDirectory } from './helpers/new-directory.js';

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The response to a request that is sent again until somebody accepts it. */
async function firstResponse(url: string, headers: Record<string, string>): Promise<Response> {
  for (;;) {
    try {
      return await fetch(url, { headers });
    } catch {
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}

it('the first request that is accepted finds the first users', async () => {
  const port = await freePort();
  const passwords = { admin: 'of the admin', uma: 'of uma', sam: 'of sam' };
  const starting = startAdministration(
    {
      port,
      hostname: '127.0.0.1',
      dataDirectory: newDirectory(),
      databaseUrl: undefined,
      edition: 'Professional',
      passwords,
    },
    { mcpTools: [], line: () => {} },
  );
  const authorization = `Basic ${Buffer.from(`admin:${passwords.admin}`).toString('base64')}`;
  const response = await firstResponse(`http://127.0.0.1:${port}/api/v1/me`, { authorization });
  const administration = await starting;
  onTestFinished(() => administration.close());
  expect(response.status).toBe(200);
});
