import type { ApiKeys, DirectoryUser, EditionOption, FailureThrottle, UserDirectory } from '../api-keys/index.js';
import type { Clock } from '../internal/index.js';
import type { AdminBranding } from './branding.js';
import type { AdminAccess, AuthenticationFailure } from './context.js';
import type { McpTool } from './mcp/tool.js';
import type { AdminSection } from './sections.js';
import type { AdminTexts } from './ui/texts/texts-option.js';
import type { ManagedUserDirectory } from './users.js';

export interface AdminOptions {
  /** The result of `openApiKeys`. Close it after the administration. */
  readonly apiKeys: ApiKeys;
  /** Your users. With `list` and `remove`, Super Admins can manage them. */
  readonly users: UserDirectory | ManagedUserDirectory;
  /**
   * The edition's name, or a function that is called at every request (rule K12). Pass the function that you gave to
   * `openApiKeys`, and a request calls it once.
   */
  readonly edition: EditionOption;
  /**
   * Milliseconds that one look-up in `users`, or of the edition, may take; what fails or takes longer is a 503 (rule
   * K19).
   * @default 5000
   */
  readonly lookUpTimeoutMs?: number | undefined;
  /**
   * The path of the administration, such as `/admin`, as browsers see it. Where a router or a proxy removes it or its
   * beginning, that is put back; so it cannot be one of the administration's own, such as `/api-keys`.
   * If it ends in one, such as `/tools/mcp`, and only its beginning is removed, link to it with a slash at the end.
   * @default ''
   */
  readonly basePath?: string | undefined;
  /**
   * The origin at which browsers reach your service, such as `https://example.com`. Set it behind a proxy that ends TLS or
   * changes the host name: cookies, examples and the check against other sites follow it. `X-Forwarded-*` headers are
   * never trusted, as anybody can send them.
   * @default the origin of each request
   */
  readonly publicUrl?: string | undefined;
  /**
   * Your service's own sign-in, for the pages: the id of the user who is signed in, such as your session's; `undefined`
   * for nobody. It is called at every request, and there is no sign-in page and no session beside yours (rule K20). The
   * request keeps its body: do not read it.
   *
   * @param env what your adapter passes; on Node, `env.incoming` is the request of `node:http` or Express
   * @default the administration's own sign-in page
   */
  readonly authenticate?: // biome-ignore lint/suspicious/noExplicitAny: what the host's adapter passes is not known here
  ((request: Request, env: any) => string | null | undefined | Promise<string | null | undefined>) | undefined;
  /**
   * Your sign-in page, for visitors whom `authenticate` does not know; a function gets the path to come back to.
   * @default a page that says to sign in
   */
  readonly signInUrl?: string | ((returnTo: string) => string) | undefined;
  /** Where the button "Sign out" leads. @default with `authenticate`: there is no such button */
  readonly signOutUrl?: string | undefined;
  /**
   * Checks a password against your own hash, for the sign-in page and Basic (rule K14); only `true` signs in. A user with
   * a `passwordHash`, in whatever format, is not checked again for five minutes; any other at every request.
   * @default `passwordHash` as `hashPassword` made it
   */
  readonly verifyPassword?: ((user: DirectoryUser, password: string) => boolean | Promise<boolean>) | undefined;
  /**
   * Signs sessions; at least 32 bytes. A random one signs everybody out at every restart, and cannot be shared by
   * processes.
   * @default random
   */
  readonly sessionSecret?: Uint8Array | string | undefined;
  /** Your product's name, logo and color. @default Concordat's */
  readonly branding?: AdminBranding | undefined;
  /** Texts of the pages in place of `englishTexts`, some or all of them. @default English */
  readonly texts?: Partial<AdminTexts> | undefined;
  /**
   * Which tools for API keys assistants get: `none`, those that read, or `all`. A key that an assistant creates ends up in its
   * transcript, and what it reads may talk it into revoking one (rule K21).
   * @default 'read-only'
   */
  readonly mcpKeyTools?: 'none' | 'read-only' | 'all' | undefined;
  /** Your own tools at the MCP endpoint. @default [] */
  readonly mcpTools?: readonly McpTool[] | undefined;
  /** Your own pages in the administration UI, each with an entry at the top of its menu. @default [] */
  readonly sections?: readonly AdminSection[] | undefined;
  /**
   * Host names, with or without a port, at which browsers and clients reach the MCP endpoint, besides `localhost`,
   * `127.0.0.1` and `[::1]`. Any other `Host` or `Origin` is refused, against DNS rebinding.
   * @default []
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /**
   * Answers each MCP request by itself, without sessions: any process behind a load balancer can answer, also after a restart.
   * A client then cancels a call by going away: `notifications/cancelled` is without effect.
   * @default false
   */
  readonly mcpStateless?: boolean | undefined;
  /** Ends an MCP session after this long without a request or an open stream. @default 1800000 */
  readonly mcpSessionIdleMs?: number | undefined;
  /** @default the system clock */
  readonly clock?: (Pick<Clock, 'now'> & Partial<Clock>) | undefined;
  /**
   * Slows down sources that present wrong keys or passwords (rule K14). It never delays a valid key.
   * @default ten failures are free, then 1 s, doubling to 1 min
   */
  readonly throttle?: FailureThrottle | undefined;
  /**
   * The source of a request: failures slow down their source, and password checks take turns by source (rule K14).
   * Behind a proxy every request has the proxy's address: read the client's from a header that your proxy sets, and
   * only then. All requests without an address are one source.
   * @default the address of the request's socket
   */
  readonly clientAddress?: ((request: Request, env: unknown) => string | null | undefined) | undefined;
  /**
   * Called for every refused authentication, with the reason and the key's public id (rule K9), and the address that
   * `clientAddress` returned. What somebody typed as their name is not given: it may be a password.
   */
  readonly onAuthenticationFailure?: ((failure: AuthenticationFailure, address: string) => void) | undefined;
  /**
   * Called once for every request to the Admin API that authenticated, when its response is made, and for every call of an MCP
   * tool, with the address that `clientAddress` returned. The pages are not reported.
   */
  readonly onAccess?: ((access: AdminAccess, address: string) => void) | undefined;
  /**
   * Called for unexpected failures, for which the client got a plain 500; and once each, when `x-forwarded-for` arrives
   * although `clientAddress` is not set, and `x-forwarded-proto: https` over http although `publicUrl` is not.
   */
  readonly onError?: ((error: unknown) => void) | undefined;
}
