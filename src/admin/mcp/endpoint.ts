import { parseJson, type Timer } from '../../internal/index.js';
import { authenticate, authenticateAgain, type Caller } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import { AdminHttpError } from '../http/errors.js';
import { readBoundedText } from '../http/read-bounded-text.js';
import { errorResponse, json } from '../http/responses.js';
import type { AdminOptions } from '../options.js';
import { createHostCheck } from './allowed-hosts.js';
import { createOpenRequest, idsOf, type OpenRequest } from './open-request.js';
import { loadSdk, type McpSdk } from './sdk.js';
import { createSessions, type McpSession } from './sessions.js';
import { closingMessage, createStreamWatch } from './stream-watch.js';
import { createToolBox } from './tools.js';

type McpEndpointOptions = Pick<AdminOptions, 'mcpTools' | 'allowedHosts' | 'mcpStateless' | 'mcpSessionIdleMs'>;

const checkIntervalMs = 1000;
const defaultIdleMs = 1_800_000;
const maxBodyBytes = 1024 * 1024;
/** All that the transport reads. Credentials are left out, so that no session and no tool holds them. */
const passedHeaders = ['accept', 'content-type', 'last-event-id', 'mcp-protocol-version', 'mcp-session-id'];

/**
 * MCP over streamable HTTP, with the official SDK. Host and origin are checked first, then the credentials, then the
 * method; the rest is MCP's own. No OAuth metadata is served: a client would drop its key and start OAuth.
 */
export function createMcpEndpoint(context: AdminContext, options: McpEndpointOptions) {
  const checkHost = createHostCheck([
    ...(options.allowedHosts ?? []),
    ...(context.publicUrl ? [context.publicUrl.host] : []),
  ]);
  const tools = createToolBox(context, options.mcpTools);
  const sessions = createSessions(context, tools, options.mcpSessionIdleMs ?? defaultIdleMs);
  const isStateless = options.mcpStateless === true;
  const methods = isStateless ? ['POST'] : ['GET', 'POST', 'DELETE'];
  const watch = createStreamWatch(context);
  let timer: Timer | undefined;
  let closing: Promise<void> | undefined;
  let isOver = false;

  // Runs only while there is something to check, and keeps no process alive.
  const schedule = () => {
    if (timer !== undefined || isOver || (sessions.size === 0 && watch.size === 0)) return;
    timer = context.clock.setTimer(checkIntervalMs, () => {
      timer = undefined;
      Promise.all([watch.check(), sessions.closeIdle()]).catch(context.onError).finally(schedule);
    });
    timer.hold(false);
  };

  const respond = async (request: Request, env: unknown): Promise<Response> => {
    const problem = checkHost(request);
    if (problem !== undefined) throw new AdminHttpError(403, refusals[problem]);
    let caller = await authenticate(context, request, env);
    if (!methods.includes(request.method)) {
      const allow = methods.join(', ');
      throw new AdminHttpError(405, `The MCP endpoint supports only ${allow}.`, { headers: { allow } });
    }
    const sdk = await loadSdk(context);
    const body = request.method === 'POST' ? await readMessage(request) : undefined;
    if (body !== undefined) caller = await authenticateAgain(context, caller);
    // What is running may still be cancelled.
    const isQuiet = request.method === 'DELETE' || (body !== undefined && idsOf(body).length === 0);
    if (closing !== undefined && !isQuiet) throw closed();
    return await handle(await findSession(sdk, request, caller, body), request, caller, body);
  };

  const findSession = async (sdk: McpSdk, request: Request, { user }: Caller, body: unknown) => {
    if (isStateless) return await sessions.beginForOneRequest(sdk, user.id);
    const id = request.headers.get('mcp-session-id');
    const session = id === null ? undefined : sessions.find(id, user.id);
    if (session !== undefined) return session;
    if (id !== null) throw new ProtocolRefusal(404, -32001, 'Session not found');
    if (isInitialize(body)) return await sessions.begin(sdk, user.id);
    throw new ProtocolRefusal(400, -32000, 'Bad Request: Mcp-Session-Id header is required');
  };

  const handle = async (session: McpSession, request: Request, caller: Caller, body: unknown) => {
    const openRequest = createOpenRequest(caller, body, () => {
      session.openRequests.delete(openRequest);
      session.lastUsedAt = context.clock.monotonic();
      watch.remove(openRequest);
      if (isStateless) void sessions.close([session]);
    });
    refuseIdsInUse(session, openRequest.ids);
    session.openRequests.add(openRequest);
    watch.add(openRequest);
    let response: Response;
    try {
      response = await session.transport.handleRequest(withoutCredentials(request), {
        ...(body !== undefined && { parsedBody: body }),
        authInfo: {
          token: caller.apiKeyId ?? caller.authenticatedBy,
          clientId: caller.user.id,
          scopes: [],
          extra: { openRequest },
        },
      });
    } catch (error) {
      openRequest.finish();
      throw error;
    }
    const stream = response.headers.get('content-type') === 'text/event-stream' ? response.body : null;
    if (stream === null) openRequest.finish();
    schedule();
    const headers = new Headers(response.headers);
    headers.set('cache-control', stream === null ? 'no-store' : 'no-store, no-transform');
    headers.set('x-content-type-options', 'nosniff');
    if (stream !== null) headers.set('x-accel-buffering', 'no'); // nginx would hold events back
    const content = stream === null ? response.body : openRequest.carry(stream, context.clock);
    return new Response(content, { status: response.status, headers });
  };

  const closeAll = async (graceMs: number) => {
    // Meanwhile the credentials of what is running are checked as before.
    await watch.close(graceMs);
    isOver = true;
    timer?.cancel();
    await sessions.closeAll();
  };

  return {
    async fetch(request: Request, env: unknown) {
      try {
        if (isOver) throw closed();
        return await respond(request, env);
      } catch (error) {
        return error instanceof ProtocolRefusal ? error.toResponse() : errorResponse(context, error);
      }
    },
    /** Ends streams at once, calls that are running after `graceMs`, and then all sessions. */
    close(graceMs: number) {
      closing ??= closeAll(graceMs);
      return closing;
    },
  };
}

const closed = () => new AdminHttpError(503, closingMessage);

const refusals = {
  host: 'This host name is not allowed for MCP. Add it to `allowedHosts`.',
  origin: 'This origin is not allowed for MCP. Add its host to `allowedHosts`.',
  page: 'This origin is not allowed for MCP: it must be an http or https page, not a file, a sandboxed page or an extension.',
} as const;

async function readMessage(request: Request): Promise<unknown> {
  const tooLarge = `Payload Too Large: Request body must not exceed ${maxBodyBytes} bytes`;
  const text = await readBoundedText(request, maxBodyBytes, () => new ProtocolRefusal(413, -32000, tooLarge));
  const message = parseJson(text ?? '');
  if (message === undefined) throw new ProtocolRefusal(400, -32700, 'Parse error: Invalid JSON');
  return message;
}

/** Every request of a session needs an id of its own. The SDK would mix up two, and leave a stream open for ever. */
function refuseIdsInUse({ openRequests, calls }: McpSession, ids: OpenRequest['ids']): void {
  const inUse = new Set([...calls, ...[...openRequests].flatMap((request) => request.ids)]);
  if (new Set(ids).size === ids.length && !ids.some((id) => inUse.has(id))) return;
  throw new ProtocolRefusal(400, -32600, 'Invalid Request: The id of a request is already in use');
}

function isInitialize(body: unknown): boolean {
  const messages = Array.isArray(body) ? body : [body];
  return messages.some((message) => (message as { method?: unknown } | null)?.method === 'initialize');
}

function withoutCredentials(request: Request): Request {
  const headers = new Headers();
  for (const name of passedHeaders) {
    const value = request.headers.get(name);
    if (value !== null) headers.set(name, value);
  }
  return new Request(request.url, { method: request.method, headers });
}

/** A refusal in MCP's own form, in the words of the SDK. */
class ProtocolRefusal extends Error {
  constructor(
    readonly status: number,
    readonly code: number,
    message: string,
  ) {
    super(message);
  }

  toResponse(): Response {
    const error = { code: this.code, message: this.message };
    return json(this.status, JSON.stringify({ jsonrpc: '2.0', error, id: null }));
  }
}
