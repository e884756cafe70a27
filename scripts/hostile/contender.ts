// One server in a process of its own, which tells how it is when asked. Started by scripts/hostile.ts.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createConnector, serve } from 'concordat/connector';
import { z } from 'zod';
import { watchProcess } from '../../bench/reading.js';
import { startAdministration } from '../../examples/service/administration/start-administration.js';
import { readOptions } from '../../examples/service/options.js';

const maxBodyBytes = 1024 * 1024;
const error = (code: string) => JSON.stringify({ errors: { code, message: 'No.' } });

/** What anybody writes without a library: a session is asked for, a body is read up to a bound. */
async function startPlain(): Promise<string> {
  const server = createServer((request, response) => {
    const answer = (status: number, body: string) => {
      if (response.headersSent) return;
      response.writeHead(status, { 'content-type': 'application/json' }).end(body);
    };
    if (request.headers['x-session'] === undefined) return answer(401, error('UNAUTHORIZED'));
    let bytes = 0;
    request.on('error', () => {});
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxBodyBytes) {
        answer(413, error('PAYLOAD_TOO_LARGE'));
        request.destroy();
      }
    });
    request.on('end', () => answer(200, '{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startConnector(): Promise<string> {
  const connector = createConnector({
    initialize: { parameters: z.object({}), handler: () => ({ 'x-session': 'a' }) },
    session: z.object({ 'x-session': z.string() }),
    maxBodyBytes,
  });
  connector.post('/issues', async (c) => c.json({ length: JSON.stringify(await c.req.json()).length }));
  return (await serve(connector, { port: 0 })).url;
}

/** The administration of the reference service, as `npm start` has it. */
async function startService(): Promise<string> {
  const directory = mkdtempSync(path.join(tmpdir(), 'concordat-hostile-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const { administration } = readOptions(['--port', '0', '--data', directory], {});
  const { url } = await startAdministration(administration!, { mcpTools: [], line: () => {} });
  return url.replace(/\/$/, '');
}

const servers: Record<string, () => Promise<string>> = {
  'node:http': startPlain,
  'serve()': startConnector,
  'reference service': startService,
};

const url = await (servers[process.argv[2] as string] as () => Promise<string>)();
const read = watchProcess();
process.on('message', async () => process.send?.(await read()));
process.on('disconnect', () => process.exit());
process.send?.({ url });
