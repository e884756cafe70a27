import type { HtmlEscapedString } from 'hono/utils/html';
import { z } from 'zod';
import type { DirectoryUser } from '../api-keys/index.js';
import { functionOf, option, optionsOf, type ShapeOf, text } from '../internal/index.js';

/** HTML whose values are escaped: what a component of `hono/jsx` or the `html` template of hono makes. Plain text is none. */
export type AdminHtml = HtmlEscapedString | Promise<HtmlEscapedString>;

/**
 * Pages of the host's own in the administration UI: an entry in its menu and everything below `{basePath}/{name}`,
 * behind the same sign-in and the same security headers.
 */
export interface AdminSection {
  /** The first part of the path, such as `syncs`: small letters, digits and dashes. */
  readonly name: string;
  /** The entry in the menu. */
  readonly title: string;
  /** The `d` of an SVG path, drawn as a line in a square of 16 by 16. @default none */
  readonly icon?: string | undefined;
  /** CSS, served from the administration's own address and added to the section's pages. @default none */
  readonly stylesheet?: string | undefined;
  /** JavaScript, served and added likewise, deferred. It may connect to the administration's own address. @default none */
  readonly script?: string | undefined;
  /** Who sees the entry and the pages; to all others there is no such page. @default everybody who is signed in */
  readonly mayVisit?: ((user: DirectoryUser) => boolean) | undefined;
  /**
   * Answers a `GET`, or a `POST` of a form whose token was checked before. `request` has the full path. With a hono app:
   * `fetch: (request, visit) => app.fetch(request, visit)`, the visit is `c.env` then.
   */
  readonly fetch: (request: Request, visit: AdminSectionContext) => Response | Promise<Response>;
}

/** One request of somebody who is signed in to a section. */
export interface AdminSectionContext {
  /** As the directory knows the user at this moment. */
  readonly user: DirectoryUser;
  /** `{basePath}/{name}`: every link of the section starts with it. */
  readonly path: string;
  /** The administration's time, in milliseconds. */
  readonly nowMs: number;
  /** The fields of the form that was sent; `undefined` for a `GET`. */
  readonly form: URLSearchParams | undefined;
  /** The hidden field that every form of the section must contain (`method="post"`). */
  readonly formToken: AdminHtml;
  /** A page with the administration's frame around its content. The content begins with a heading of the first level. */
  page(page: AdminPageOptions): Promise<Response>;
  /** To an address of the administration, usually after a form. `notice` says there what has been done. */
  redirect(path: string, notice?: string): Response;
  /** A page that says what is wrong, such as 404. */
  problem(status: number, message: string): Promise<Response>;
  /**
   * Asks anew whether this sign-in still holds, for answers that go on for long: not after signing out, when its time is
   * over, or when the user was disabled, deleted, given a new password or another right (`mayVisit`).
   */
  isSignedIn(): Promise<boolean>;
}

export interface AdminPageOptions {
  readonly title: string;
  readonly content: AdminHtml;
  /** @default 200 */
  readonly status?: number | undefined;
  /** Without script, the page is loaded again after so many seconds. @default never */
  readonly refreshSeconds?: number | undefined;
}

const taken: readonly string[] = ['api', 'mcp', 'assets', 'sign-in', 'sign-out', 'api-keys', 'api-key-audits', 'users'];

/** The option `sections`. */
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
    const names = new Set(taken);
    for (const [index, { name }] of sections.entries()) {
      if (names.has(name)) {
        context.addIssue({
          code: 'custom',
          path: [index, 'name'],
          message: `must be another one: \`${name}\` is taken`,
        });
      }
      names.add(name);
    }
  });
