import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdmin } from 'concordat/admin';
import { type DirectoryUser, hashPassword, openApiKeys } from 'concordat/api-keys';
import { toNodeHandler } from 'concordat/connector/node';
import { conformanceTools } from './conformance-tools.js';

export const password = 'correct horse';
/** A request with this header gets an answer that the OpenAPI document does not have. */
export const spoiled = 'x-spoil-answer';

export interface Administration extends AsyncDisposable {
  readonly url: string;
  /** A valid key of sam, who has no rights beyond his own keys; ada is Super Admin. */
  readonly key: string;
}

/** An administration on a free port. What comes to its MCP endpoint gets a key, as that suite cannot send one. */
export async function startAdministration(): Promise<Administration> {
  const passwordHash = await hashPassword(password);
  const directory = new Map<string, DirectoryUser>([
    ['u-ada', { id: 'u-ada', username: 'ada', passwordHash, superAdmin: true }],
    ['u-sam', { id: 'u-sam', username: 'sam', passwordHash }],
  ]);
  const users = {
    findById: (id: string) => directory.get(id),
    findByUsername: (name: string) => [...directory.values()].find(({ username }) => username === name),
  };
  const shared = { users, edition: 'Professional', onError: (error: unknown) => console.error(error) };
  const apiKeys = await openApiKeys({ ...shared, database: ':memory:' });
  const sam = { userId: 'u-sam', username: 'sam' };
  const { key } = await apiKeys.create(sam, { name: 'Judge', expiresOn: new Date(Date.now() + 86_400_000) });
  const admin = createAdmin({ ...shared, apiKeys, mcpKeyTools: 'all', mcpTools: conformanceTools });
  const handle = toNodeHandler(admin);
  const server = createServer((request, response) => {
    if (request.headers[spoiled] !== undefined) {
      response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end('{"user":7}');
      return;
    }
    if (request.url === '/mcp') request.rawHeaders.push('x-api-key', key);
    void handle(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    async [Symbol.asyncDispose]() {
      server.close().closeAllConnections();
      await admin.close();
      await apiKeys.close();
    },
  };
}
