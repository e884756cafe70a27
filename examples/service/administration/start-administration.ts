import path from 'node:path';
import { type AdminSection, type AuthenticationFailure, createAdmin, type McpTool } from 'concordat/admin';
import { type ApiKeys, openApiKeys } from 'concordat/api-keys';
import { serve } from 'concordat/connector';
import { announce } from './announce.js';
import { openDataDirectory } from './data-directory.js';
import { ensureUsers } from './first-users.js';
import type { AdministrationOptions } from './options.js';
import { UserStore } from './user-store.js';

export interface Administration {
  readonly url: string;
  /** Closes what is open, and writes what is pending. */
  close(): Promise<void>;
}

interface AdministrationParts {
  mcpTools: readonly McpTool[];
  /** The service's own pages in the administration. */
  sections?: readonly AdminSection[];
  line(text: string): void;
}

/**
 * Serves the administration of API keys on this machine: UI, Admin API and MCP.
 *
 * @throws Error that says what to do when the port, the data directory or the database cannot be had.
 */
export async function startAdministration(
  options: AdministrationOptions,
  { mcpTools, sections = [], line }: AdministrationParts,
): Promise<Administration> {
  const { dataDirectory, edition, passwords } = options;
  const closers: (() => void | Promise<void>)[] = [];
  const close = async () => {
    for (const closeOne of closers.splice(0).reverse()) await closeOne();
  };
  const onError = (error: unknown) => line(`The administration failed unexpectedly: ${String(error)}`);
  try {
    const { sessionSecret } = openDataDirectory(dataDirectory);
    const users = await UserStore.open(path.join(dataDirectory, 'users.db'));
    closers.push(() => users.close());
    const apiKeys = await openKeys(options, users, onError);
    closers.push(() => apiKeys.close());
    const admin = createAdmin({
      apiKeys,
      users,
      edition,
      sessionSecret,
      // To be tried out; the default is to read only.
      mcpKeyTools: 'all',
      mcpTools,
      sections,
      onError,
      onAuthenticationFailure: (failure) => reportFailure(failure, line),
    });
    let open = () => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    // The users come after the port, whose failure would cost their generated passwords: requests wait for them.
    const gated = {
      async fetch(request: Request, env?: unknown) {
        await opened;
        return await admin.fetch(request, env);
      },
    };
    const server = await listen(gated, options, onError);
    closers.push(async () => {
      // Both at once: no new request, and the end of the streams that keep connections open.
      await Promise.all([server.close({ graceMs: 2000 }), admin.close({ graceMs: 1500 })]);
    });
    // Last, so that generated passwords are always printed: nothing can fail in between.
    const firstUsers = await ensureUsers(users, passwords);
    open();
    for (const text of announce({ url: server.url, options, firstUsers, users: users.list() })) line(text);
    return { url: `${server.url}/`, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openKeys(
  { dataDirectory, databaseUrl, edition }: AdministrationOptions,
  users: UserStore,
  onError: (error: unknown) => void,
): Promise<ApiKeys> {
  const database = databaseUrl ?? path.join(dataDirectory, 'api-keys.db');
  try {
    return await openApiKeys({ database, edition, users, onError });
  } catch (error) {
    const where = databaseUrl === undefined ? '' : ' in the PostgreSQL of DATABASE_URL';
    throw new Error(`The API keys${where} cannot be opened: ${reasonOf(error)}`, { cause: error });
  }
}

async function listen(
  admin: Parameters<typeof serve>[0],
  { port, hostname }: AdministrationOptions,
  onError: (error: unknown) => void,
) {
  try {
    return await serve(admin, { port, hostname, onError });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (hostname !== undefined && (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')) {
      throw new Error(
        `HOST ${hostname} is no address of this machine (${code}). Set one, or 0.0.0.0 for all of them, or nothing.`,
        { cause: error },
      );
    }
    const reason = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${reasonOf(error)})`;
    throw new Error(
      `Port ${port} of the administration ${reason}. Choose another one, or 0 for any free one: npm start -- --port 0`,
      { cause: error },
    );
  }
}

/** Of several attempts, such as at IPv4 and IPv6, an AggregateError has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}

/** Requests without credentials, and those that were only throttled, need no attention. */
function reportFailure({ reason, apiKeyId }: AuthenticationFailure, line: (text: string) => void): void {
  if (reason === 'missing' || reason === 'throttled') return;
  line(`Authentication refused: ${reason}${apiKeyId === undefined ? '' : `, API key ${apiKeyId}`}`);
}
