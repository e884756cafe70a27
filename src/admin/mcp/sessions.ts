import { randomUUID } from 'node:crypto';
import type { AdminContext } from '../context.js';
import type { OpenRequest } from './open-request.js';
import type { McpSdk } from './sdk.js';
import type { ToolBox } from './tools.js';

const maxSessionsOfUser = 100;

type Transport = InstanceType<McpSdk['WebStandardStreamableHTTPServerTransport']>;

/** A session with one client. It belongs to the user who began it, whichever of their credentials comes next. */
export interface McpSession {
  readonly userId: string;
  readonly transport: Transport;
  lastUsedAt: number;
  /** Requests in progress, including open streams. */
  readonly openRequests: Set<OpenRequest>;
  /** The ids of the calls whose tools are running, also when the client has gone away. */
  readonly calls: Set<string | number>;
  close(): Promise<void>;
}

export function createSessions(context: AdminContext, tools: ToolBox, idleMs: number) {
  const { name } = context.branding;
  // In the order of their last use.
  const sessions = new Map<string, McpSession>();
  const close = async (closing: readonly McpSession[]) => {
    const results = await Promise.allSettled(closing.map((session) => session.close()));
    for (const result of results) if (result.status === 'rejected') context.onError(result.reason);
  };

  const connect = async (sdk: McpSdk, userId: string, transport: Transport): Promise<McpSession> => {
    const server = new sdk.McpServer(
      { name: slugOf(name), title: `${name}: API keys`, version: '1.0.0' },
      { capabilities: { tools: {} } },
    );
    const session: McpSession = {
      userId,
      transport,
      lastUsedAt: context.clock.monotonic(),
      openRequests: new Set(),
      calls: new Set(),
      close: () => server.close(),
    };
    server.server.setRequestHandler(sdk.ListToolsRequestSchema, () => ({ tools: [...tools.definitions] }));
    server.server.setRequestHandler(sdk.CallToolRequestSchema, async ({ params }, { authInfo, requestId, signal }) => {
      const request = authInfo?.extra?.openRequest as OpenRequest;
      if (!tools.has(params.name)) throw new sdk.McpError(sdk.ErrorCode.InvalidParams, 'There is no such tool.');
      session.calls.add(requestId);
      const result = await tools.call(sdk, params, request, signal).finally(() => session.calls.delete(requestId));
      context.accessed(request.caller, { tool: params.name, isError: result.isError === true });
      // A call that the client has cancelled gets no response, and the SDK would leave its stream open.
      if (signal.aborted) request.cancel();
      return result;
    });
    await server.connect(transport);
    return session;
  };

  return {
    get size() {
      return sessions.size;
    },
    /** The user's session. Another user's is not found, so a leaked id is useless. */
    find(id: string, userId: string) {
      const session = sessions.get(id);
      if (session === undefined || session.userId !== userId) return undefined;
      sessions.delete(id);
      sessions.set(id, session);
      return session;
    },
    /** A session that is kept once its `initialize` succeeds. */
    async begin(sdk: McpSdk, userId: string) {
      const transport: Transport = new sdk.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: async (id) => {
          sessions.set(id, session);
          await close(surplusOf([...sessions.values()], userId));
        },
      });
      transport.onclose = () => sessions.delete(transport.sessionId ?? '');
      const session = await connect(sdk, userId, transport);
      return session;
    },
    /** One that is not kept: whoever begins it closes it after its request. */
    beginForOneRequest: (sdk: McpSdk, userId: string) =>
      connect(sdk, userId, new sdk.WebStandardStreamableHTTPServerTransport()),
    close,
    async closeIdle() {
      const since = context.clock.monotonic() - idleMs;
      await close(
        [...sessions.values()].filter(({ openRequests, lastUsedAt }) => openRequests.size === 0 && lastUsedAt <= since),
      );
    },
    closeAll: () => close([...sessions.values()]),
  };
}

/** A client that never ends its sessions loses its oldest ones, idle ones first. */
function surplusOf(sessions: readonly McpSession[], userId: string): readonly McpSession[] {
  const own = sessions.filter((session) => session.userId === userId);
  const surplus = own.length - maxSessionsOfUser;
  if (surplus <= 0) return [];
  // The sort is stable, so the order of last use stays; the last session is the new one.
  return own
    .slice(0, -1)
    .sort((a, b) => Number(a.openRequests.size > 0) - Number(b.openRequests.size > 0))
    .slice(0, surplus);
}

/** `acme-cloud` for Acme Cloud; the product's name alone where nothing of it is left. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return slug === '' ? name : slug;
}
