import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { onTestFinished } from 'vitest';
import { type AdminHost, basic } from './admin-host.js';

export interface McpConnection {
  readonly client: Client;
  readonly transport: StreamableHTTPClientTransport;
  /** A tool's structured answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look at answers of every shape
  call(name: string, input?: Record<string, unknown>): Promise<any>;
  /** The message of a tool's error. */
  failure(name: string, input?: Record<string, unknown>): Promise<string>;
}

/** Connects the official client, with a key or as a user by Basic. */
export async function connectMcp(host: AdminHost, credentials: string, path = '/mcp'): Promise<McpConnection> {
  const [name = '', value = ''] = credentials.startsWith('ck_') ? ['x-api-key', credentials] : basic(credentials);
  const transport = new StreamableHTTPClientTransport(new URL(host.url + path), {
    requestInit: { headers: { [name]: value } },
    // A stream that the server ended is not opened again behind the test's back.
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    transport,
    async call(tool, input = {}) {
      const result = await client.callTool({ name: tool, arguments: input });
      if (result.isError) throw new Error(JSON.stringify(result.content));
      return result.structuredContent;
    },
    async failure(tool, input = {}) {
      const result = await client.callTool({ name: tool, arguments: input });
      if (!result.isError) throw new Error(`It succeeded: ${JSON.stringify(result)}`);
      return (result.content as { text: string }[]).map(({ text }) => text).join();
    },
  };
}

export const initialize = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
};

/** Headers that MCP asks for, beside the credentials. */
export const accept = ['accept', 'application/json, text/event-stream', 'content-type', 'application/json'];

/** A stream that is read as it comes, to see when it ends. */
export async function openStream(
  host: AdminHost,
  credentials: readonly string[],
  sessionId: string,
  init: { method?: string; body?: object } = {},
) {
  const headers = new Headers({ accept: 'application/json, text/event-stream', 'mcp-session-id': sessionId });
  for (let index = 0; index < credentials.length; index += 2) {
    headers.set(credentials[index] as string, credentials[index + 1] as string);
  }
  if (init.body) headers.set('content-type', 'application/json');
  const aborter = new AbortController();
  const response = await fetch(`${host.url}/mcp`, {
    signal: aborter.signal,
    method: init.method ?? 'GET',
    headers,
    ...(init.body && { body: JSON.stringify(init.body) }),
  });
  let text = '';
  let isOpen = true;
  const ended = (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk as Uint8Array, { stream: true });
  })().finally(() => {
    isOpen = false;
  });
  ended.catch(() => {});
  return {
    status: response.status,
    headers: response.headers,
    ended,
    /** Goes away, as a client that is switched off. */
    leave: () => aborter.abort(),
    get text() {
      return text;
    },
    get isOpen() {
      return isOpen;
    },
  };
}

/** Begins a session by hand and returns its id. */
export async function beginSession(host: AdminHost, credentials: readonly string[]): Promise<string> {
  const answer = await host.send({
    method: 'POST',
    path: '/mcp',
    headers: [...credentials, ...accept],
    body: initialize,
  });
  if (answer.status !== 200) throw new Error(`initialize: ${answer.status} ${answer.text}`);
  return answer.headers['mcp-session-id'] as string;
}
