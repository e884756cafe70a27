// Random bodies through a client and a real socket, up and down (rule D1).
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { isDeepStrictEqual } from 'node:util';
import { type BodyOption, type ConnectorClient, createConnectorClient } from 'concordat/client';
import { bodyKinds, Chance, type RandomResponse, randomResponse } from './random-body.js';

/** @returns what arrived as something else than was sent, with its seed; nothing when all did. */
export async function roundTrips(options: { seed: number; runs: number }): Promise<string | undefined> {
  const responses = new Map<string, RandomResponse>();
  const server = createServer((request, response) => void answer(request, response, responses));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const common = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    initialize: async () => ({ 'x-session': 'none' }),
    retry: { retries: 0 },
  };
  const clients = [
    createConnectorClient(common),
    createConnectorClient({ ...common, fetch: (input, init) => globalThis.fetch(input, init) }),
  ];
  try {
    let next = 0;
    let finding: string | undefined;
    const work = async () => {
      while (next < options.runs && finding === undefined) {
        const seed = options.seed + next++;
        const chance = new Chance(seed);
        const client = chance.oneOf(clients);
        const direction = chance.oneOf([download, upload]);
        const problem = await direction(chance, client, `/${seed}`, responses).catch((error) => String(error));
        if (problem !== undefined) finding ??= `seed ${seed}, ${direction.name}: ${problem}`;
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return finding;
  } finally {
    await Promise.all(clients.map((client) => client.close()));
    server.close();
  }
}

async function download(
  chance: Chance,
  client: ConnectorClient,
  path: string,
  responses: Map<string, RandomResponse>,
): Promise<string | undefined> {
  const response = randomResponse(chance);
  responses.set(path, response);
  const data = await client.get(path);
  responses.delete(path);
  return isDeepStrictEqual(data, response.expected)
    ? undefined
    : `${describe(data)}, with ${JSON.stringify(response.headers)}`;
}

async function upload(chance: Chance, client: ConnectorClient, path: string): Promise<string | undefined> {
  const bytes = chance.bytes();
  const kind = chance.oneOf(bodyKinds);
  const options = kind === 'json' ? { json: bytes.toString('base64') } : { body: toBody(kind, bytes, chance) };
  const echoed = await client.post<Uint8Array>(path, options);
  const got = kind === 'form' ? await formFile(echoed) : kind === 'json' ? fromJson(echoed) : Buffer.from(echoed);
  return got.equals(bytes) ? undefined : `${kind}: ${bytes.length} bytes became ${got.length}`;
}

function toBody(kind: (typeof bodyKinds)[number], bytes: Buffer, chance: Chance): BodyOption {
  const chunks = chance.chunks(bytes);
  if (kind === 'blob') return new Blob(chunks as BlobPart[]);
  if (kind === 'stream') return () => Readable.from(chunks, { objectMode: false });
  if (kind === 'form') {
    const form = new FormData();
    form.append('file', new Blob(chunks as BlobPart[]), 'file.bin');
    return form;
  }
  if (kind !== 'generator') return bytes;
  return async function* () {
    yield* chunks;
  };
}

/** The file in a form of one: between the end of its head and the last boundary. */
async function formFile(echoed: Uint8Array): Promise<Buffer> {
  const boundary = /^--(\S+)/.exec(Buffer.from(echoed.subarray(0, 200)).toString('latin1'))?.[1] ?? '';
  const headers = { 'content-type': `multipart/form-data; boundary=${boundary}` };
  const file = (await new Response(echoed as BodyInit, { headers }).formData()).get('file') as File;
  return Buffer.from(await file.arrayBuffer());
}

function fromJson(echoed: Uint8Array): Buffer {
  return Buffer.from(JSON.parse(Buffer.from(echoed).toString()), 'base64');
}

function describe(data: unknown): string {
  const text = data instanceof Uint8Array ? `${data.length} bytes` : JSON.stringify(data);
  return `it arrived as ${String(text).slice(0, 200)}`;
}

/** What a POST brings goes back as bytes; a GET is answered as it was planned. */
async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  responses: ReadonlyMap<string, RandomResponse>,
): Promise<void> {
  if (request.method === 'POST') {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(Buffer.concat(chunks));
    return;
  }
  const { headers, chunks } = responses.get(request.url ?? '') as RandomResponse;
  response.writeHead(200, headers);
  for (const chunk of chunks) {
    if (chunk.length > 0) response.write(chunk);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}
