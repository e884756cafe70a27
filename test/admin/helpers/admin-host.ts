import { createServer, type IncomingMessage, request as nodeRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { type Admin, type AdminOptions, createAdmin } from 'concordat/admin';
import { type ApiKeys, type DirectoryUser, type OpenApiKeysOptions, openApiKeys } from 'concordat/api-keys';
import { toNodeHandler } from 'concordat/connector/node';
import { onTestFinished } from 'vitest';
import { cheapHash } from '../../helpers/cheap-hash.js';
import { type VirtualClock, virtualClock } from '../../helpers/virtual-clock.js';

/** Everybody's password. */
export const password = 'pässword: with colon';
const passwordHash = cheapHash(password);

/** 2026-11-21T09:00Z, where the virtual clock starts. */
export const start = Date.UTC(2026, 10, 21, 9);
export const inDays = (days: number) => new Date(start + days * 86_400_000).toISOString();

export type MutableUser = { -readonly [Field in keyof DirectoryUser]: DirectoryUser[Field] };

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look at bodies of every shape
  readonly body: any;
}

export interface Send {
  readonly method?: string;
  readonly path: string;
  /** Flat, as on the wire: repeated names stay repeated. */
  readonly headers?: readonly string[];
  readonly body?: string | Buffer | object;
}

export interface AdminHost {
  readonly url: string;
  readonly port: number;
  readonly apiKeys: ApiKeys;
  readonly admin: Admin;
  readonly clock: VirtualClock;
  /** alice and bob have no rights, mallory neither; helen has User Management – Write, root is Super Admin. */
  readonly users: Map<string, MutableUser>;
  /** What the hooks were told. */
  readonly failures: unknown[];
  readonly accesses: unknown[];
  /** The addresses of the failures. */
  readonly failedFrom: string[];
  readonly errors: unknown[];
  send(request: Send): Promise<Answer>;
  /** Sends the first half of a body, waits until the key has been checked, and leaves the rest to `finish`. */
  sendSlowly(request: Omit<Send, 'body'>, body: string): Promise<{ finish(): Promise<Answer> }>;
  /** Sends a body in two parts, and the second one when `finish` is called. */
  sendInParts(request: Omit<Send, 'body'>, first: string, second: string): { finish(): Promise<Answer> };
  /** The same to the Admin API, as a user by Basic, or with a key. */
  as(credentials: string, method: string, path: string, body?: unknown): Promise<Answer>;
  /** Makes a key directly. */
  key(userId: string, name: string, expiresOn?: string): Promise<{ id: string; key: string }>;
}

export interface HostOptions {
  admin?: Partial<AdminOptions>;
  keys?: Partial<OpenApiKeysOptions>;
}

/** An administration on a free port of this machine, on a database in memory, with a clock that only the test moves. */
export async function startAdmin({ admin: adminOptions, keys }: HostOptions = {}): Promise<AdminHost> {
  const clock = virtualClock({ startMs: start });
  const users = new Map<string, MutableUser>();
  for (const username of ['alice', 'bob', 'mallory']) {
    users.set(`u-${username}`, { id: `u-${username}`, username, passwordHash });
  }
  users.set('u-helen', { id: 'u-helen', username: 'helen', passwordHash, permissions: ['User Management – Write'] });
  users.set('u-root', { id: 'u-root', username: 'root', passwordHash, superAdmin: true });
  // They answer later, as those in a database do: an `await` that is forgotten then shows.
  const directory = {
    findById: async (id: string) => users.get(id),
    findByUsername: async (username: string) => [...users.values()].find((user) => user.username === username),
  };
  const edition = async () => 'Professional';
  const failures: unknown[] = [];
  const accesses: unknown[] = [];
  const failedFrom: string[] = [];
  const errors: unknown[] = [];
  const apiKeys = await openApiKeys({
    database: ':memory:',
    edition,
    users: directory,
    clock,
    onError: (error) => errors.push(error),
    ...keys,
  });
  const admin = createAdmin({
    apiKeys,
    users: directory,
    edition,
    clock,
    mcpKeyTools: 'all',
    onAccess: (access) => accesses.push(access),
    onAuthenticationFailure(failure, address) {
      failures.push(failure);
      failedFrom.push(address);
    },
    onError: (error) => errors.push(error),
    ...adminOptions,
  });
  const server = await listen(toNodeHandler(admin));
  onTestFinished(async () => {
    await admin.close({ graceMs: 0 });
    await server.close();
    await apiKeys.close();
  });

  const host: AdminHost = {
    url: `http://127.0.0.1:${server.port}`,
    port: server.port,
    apiKeys,
    admin,
    clock,
    users,
    failures,
    accesses,
    failedFrom,
    errors,
    send: (request) => send(server.port, request),
    async sendSlowly(request, body) {
      const half = Math.floor(body.length / 2);
      const { verify } = apiKeys;
      const verified = new Promise<void>((resolve) => {
        apiKeys.verify = async (...rest) => {
          const verification = await verify(...rest);
          resolve();
          return verification;
        };
      });
      const { finish } = sendInParts(server.port, request, body.slice(0, half), body.slice(half));
      await verified;
      return { finish };
    },
    sendInParts: (request, first, second) => sendInParts(server.port, request, first, second),
    as(credentials, method, path, body) {
      const basePath = adminOptions?.basePath ?? '';
      const headers = credentials.startsWith('ck_') ? ['x-api-key', credentials] : basic(credentials);
      const content = body === undefined ? {} : { body: body as object };
      return send(server.port, { method, path: `${basePath}/api/v1${path}`, headers, ...content });
    },
    async key(userId, name, expiresOn = inDays(30)) {
      const { apiKey, key } = await apiKeys.create({ userId, username: userId.slice(2) }, { name, expiresOn });
      return { id: apiKey.id, key };
    },
  };
  return host;
}

/** `authorization` of a user, with everybody's password or another one. */
export function basic(username: string, secret = password): readonly string[] {
  return ['authorization', `Basic ${Buffer.from(`${username}:${secret}`).toString('base64')}`];
}

export async function listen(handler: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function sendInParts(port: number, request: Send, first: string, second: string) {
  const length = String(Buffer.byteLength(first) + Buffer.byteLength(second));
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const body = async function* () {
    yield first;
    await released;
    yield second;
  };
  const headers = [...(request.headers ?? []), 'content-length', length];
  const answer = send(port, { ...request, headers }, body());
  return {
    finish: () => {
      release();
      return answer;
    },
  };
}

/** Sends these very headers: fetch would join repeated ones, and would not let `host` or `origin` be set. */
export function send(
  port: number,
  { method = 'GET', path, headers = [], body }: Send,
  parts?: AsyncIterable<string>,
): Promise<Answer> {
  const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const names = headers.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase());
  const all = [...headers];
  if (!names.includes('host')) all.push('host', `127.0.0.1:${port}`);
  if (bytes !== undefined && !names.includes('content-type')) all.push('content-type', 'application/json');
  if (!names.includes('content-length') && !names.includes('transfer-encoding')) {
    all.push('content-length', String(bytes === undefined ? 0 : Buffer.byteLength(bytes)));
  }
  return new Promise((resolve, reject) => {
    const request = nodeRequest({ host: '127.0.0.1', port, method, path, headers: all }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString();
        const isJson = String(response.headers['content-type']).startsWith('application/json') && text !== '';
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          body: isJson ? JSON.parse(text) : undefined,
        });
      });
    });
    request.on('error', reject);
    if (parts === undefined) request.end(bytes);
    else Readable.from(parts).pipe(request);
  });
}
