import type { HtmlEscapedString } from 'hono/utils/html';
import * as z from 'zod';
import type { DirectoryUser } from '../api-keys/index.js';
import { functionOf, option, optionsOf, type ShapeOf, text } from '../internal/index.js';

/** Escaped HTML, made by a component of `hono/jsx` or by Hono's `html` template. A plain string is not accepted. */
export type AdminHtml = HtmlEscapedString | Promise<HtmlEscapedString>;

/**
 * Your own pages in the administration UI: a menu entry, and everything below `{basePath}/{name}`, behind the same
 * sign-in and with the same security headers.
 */
export interface AdminSection {
  /** The first part of the path, such as `syncs`: lowercase letters, digits and dashes. */
  readonly name: string;
  /** The menu entry. */
  readonly title: string;
  /** The `d` of an SVG path, drawn as a line in a 16 by 16 square. @default none */
  readonly icon?: string | undefined;
  /** CSS for the section's pages, served by the administration. @default none */
  readonly stylesheet?: string | undefined;
  /**
   * JavaScript for the section's pages, served by the administration and deferred. It may connect to the same origin.
   * @default none
   */
  readonly script?: string | undefined;
  /** Who sees the entry and the pages; everybody else gets a 404. @default everybody who is signed in */
  readonly mayVisit?: ((user: DirectoryUser) => boolean) | undefined;
  /**
   * Responds to a `GET`, or to a `POST` of a form whose token has been checked. `request` has the full path. With a
   * Hono app: `fetch: (request, context) => app.fetch(request, context)`; the context is then `c.env`.
   */
  readonly fetch: (request: Request, context: AdminSectionContext) => Response | Promise<Response>;
}

/** What a section gets with a request of a signed-in user. */
export interface AdminSectionContext {
  /** The user, as in the directory at this request. */
  readonly user: DirectoryUser;
  /** `{basePath}/{name}`: start every link of the section with it. */
  readonly path: string;
  /** The administration's time, in milliseconds. */
  readonly nowMs: number;
  /** The fields of the submitted form; `undefined` for a `GET`. */
  readonly form: URLSearchParams | undefined;
  /** A hidden field that every `method="post"` form of the section must contain. */
  readonly formToken: AdminHtml;
  /** A page in the administration's frame. Start the content with an `h1`. */
  page(page: AdminPageOptions): Promise<Response>;
  /** Redirects within the administration, usually after a form. The next page shows `notice`. */
  redirect(path: string, notice?: string): Response;
  /** An error page, such as 404. */
  problem(status: number, message: string): Promise<Response>;
  /**
   * Checks the sign-in again, for long-lived responses: `false` after signing out, after the session's end, or when the
   * user was disabled, deleted, given a new password or lost the right to visit (`mayVisit`).
   */
  isSignedIn(): Promise<boolean>;
}

export interface AdminPageOptions {
  readonly title: string;
  readonly content: AdminHtml;
  /** @default 200 */
  readonly status?: number | undefined;
  /** Reloads the page after this many seconds where scripts are off. @default never */
  readonly refreshSeconds?: number | undefined;
}

/** The first parts of the administration's own paths. */
export const ownNames: readonly string[] = [
  'api',
  'mcp',
  'assets',
  'sign-in',
  'sign-out',
  'api-keys',
  'api-key-audits',
  'users',
];

export const sectionsOption = z
  .array(
    optionsOf({
      name: option<string>(
        (value) => typeof value === 'string' && /^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value),
        'must be one part of a path, such as `syncs`: lowercase letters, digits and dashes',
        true,
      ),
      title: option<string>((value) => typeof value === 'string' && value.trim() !== '', 'must be text'),
      icon: text.optional(),
      stylesheet: text.optional(),
      script: text.optional(),
      mayVisit: functionOf<AdminSection['mayVisit']>().optional(),
      fetch: functionOf<AdminSection['fetch']>(),
    } satisfies ShapeOf<AdminSection>),
    { error: 'must be an array' },
  )
  .superRefine((sections, context) => {
    const names = new Set(ownNames);
    for (const [index, { name }] of sections.entries()) {
      if (names.has(name)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `must be a different name: \`${name}\` is taken`,
        });
      }
      names.add(name);
    }
  });
