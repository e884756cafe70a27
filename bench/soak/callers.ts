// Scripted callers of the administrations: keys are created, used, edited and revoked, by the Admin API and by MCP.
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const lanes = 3;
const patienceMs = 120_000;

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the Admin API's answers
  readonly body: any;
}

/** Asks until a response says something: a part may be down, its disk full, the line cut. @throws Error after two minutes. */
export async function ask(
  url: string,
  headers: Record<string, string>,
  method = 'GET',
  body?: object,
): Promise<Answer> {
  const givesUpAt = performance.now() + patienceMs;
  for (let last = ''; ; await pause(200)) {
    try {
      const response = await fetch(url, {
        method,
        headers: { ...headers, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(10_000),
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      last = await response.text();
      if (response.status < 500 && response.status !== 429) return { status: response.status, body: JSON.parse(last) };
      last = `${response.status} ${last}`;
    } catch (error) {
      last = String(error);
    }
    if (performance.now() > givesUpAt) throw new Error(`${method} ${url} gets no usable response: ${last}`);
  }
}

export const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

export class Callers {
  /** What was confirmed of each key, by id. */
  readonly confirmed = new Map<string, 'Active' | 'Revoked'>();
  readonly wrong: string[] = [];
  mcpCalls = 0;
  readonly #urls: readonly string[];
  readonly #key: string;
  #isStopping = false;
  #running: Promise<unknown> = Promise.resolve();

  /** @param key of a user who may do everything. */
  constructor(urls: readonly string[], key: string) {
    this.#urls = urls;
    this.#key = key;
  }

  start(): void {
    const running = Array.from({ length: lanes }, (_, lane) => this.#lane(lane));
    this.#running = Promise.all(running).catch((error) => this.wrong.push(String(error)));
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#running;
  }

  async manage(url: string, method: string, path: string, body?: object): Promise<Answer> {
    return await ask(`${url}/api/v1${path}`, { 'x-api-key': this.#key }, method, body);
  }

  /** Uses a key, and notes when the status is another one. */
  async use(url: string, key: string, expected: 200 | 401, when: string): Promise<void> {
    const { status } = await ask(`${url}/api/v1/me`, { 'x-api-key': key });
    if (status !== expected) this.wrong.push(`${when}: ${status} instead of ${expected}`);
  }

  async #lane(lane: number): Promise<void> {
    for (let number = 1; !this.#isStopping; number++) {
      // By turns: what one process has written counts in the other at once.
      const [here = '', there = ''] = number % 2 === 0 ? this.#urls : [...this.#urls].reverse();
      const name = `Soak ${lane} ${number}`;
      const made = await this.manage(here, 'POST', '/api-keys', { name, expiresOn: inDays(30) });
      // Refused as a duplicate: it was created, and the line was cut before the response.
      if (made.status === 400) continue;
      if (made.status !== 201) throw new Error(`creating a key: ${made.status} ${JSON.stringify(made.body)}`);
      const { id, key } = made.body;
      this.confirmed.set(id, 'Active');
      await this.use(there, key, 200, 'a key just created elsewhere');
      await this.#callTool(here, key, id);
      await this.manage(there, 'PATCH', `/api-keys/${id}`, { description: `Life ${number}` });
      if (number % 3 === 0) continue;
      const revoked = await this.manage(here, 'POST', `/api-keys/${id}/revoke`);
      if (revoked.status !== 200 && revoked.status !== 409) this.wrong.push(`revoking a key: ${revoked.status}`);
      this.confirmed.set(id, 'Revoked');
      await this.use(there, key, 401, 'a key just revoked elsewhere');
      await pause(300);
    }
  }

  /** A session of MCP with its stream; one in four disappears without a word. */
  async #callTool(url: string, key: string, id: string): Promise<void> {
    const requestInit = { headers: { 'x-api-key': key } };
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', url), { requestInit });
    const client = new Client({ name: 'soak', version: '1.0.0' });
    try {
      await client.connect(transport as Parameters<Client['connect']>[0], { timeout: 10_000 });
      const { isError } = await client.callTool({ name: 'get_api_key', arguments: { id } }, undefined, {
        timeout: 10_000,
      });
      if (!isError) this.mcpCalls++;
      if (this.mcpCalls % 4 > 0) await transport.terminateSession();
    } catch {
      // The part was killed, or the line cut: the next one tries again.
    } finally {
      await client.close().catch(() => {});
    }
  }
}
