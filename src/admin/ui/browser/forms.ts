import type { Context } from 'hono';
import type { AdminContext } from '../../context.js';
import { AdminHttpError } from '../../http/errors.js';
import { readBoundedText } from '../../http/read-bounded-text.js';
import { isCrossSite } from '../../http/request.js';
import { createBrowserIds } from './browser-id.js';
import type { Session } from './session.js';
import { createSigner } from './signing.js';

const maxFormBytes = 32 * 1024;

const crossSiteMessage =
  'This form was sent from another site, so it was not accepted. If this is the only site involved, its proxy hides its name: set `publicUrl`.';
/** Also when cookies are off. */
export const staleFormMessage = 'This form is no longer valid. Go back, load the page again and repeat what you did.';

/** A form that was made for this user in a session that has ended, perhaps in another tab: it can be shown again. */
export class ExpiredForm extends AdminHttpError {
  constructor(readonly form: URLSearchParams) {
    super(403, staleFormMessage);
  }
}

/** The hidden field of every form. */
export const tokenField = 'token';

export type Forms = ReturnType<typeof createForms>;

/**
 * Accepts forms of its own pages only: by a token of the session, and by where the browser says they came from. The token
 * also says for which user it was made.
 */
export function createForms({ basePath, publicUrl, sessionSecret }: AdminContext) {
  const signer = createSigner(sessionSecret, 'forms');
  const browser = createBrowserIds('concordat_form', 'Strict', basePath);
  const subjectsOf = (c: Context, session: Session | undefined) =>
    session === undefined
      ? browser.read(c).map((id) => `browser ${id}`)
      : [session.id, ...(session.otherIds ?? [])].map((id) => `session ${id}`);

  return {
    /** The token for forms of a signed-in user. */
    tokenFor: ({ id, user }: Session) => `${signer.tag(`session ${id}`)}.${signer.tag(`user ${user.id}`)}`,
    /** The token for the sign-in form, bound to a cookie: there is no session yet. */
    tokenBeforeSignIn: (c: Context) => signer.tag(`browser ${browser.ensure(c)}`),
    /**
     * @throws ExpiredForm with a token of this user's earlier session
     * @throws AdminHttpError 400, 403, 413 or 415 when the form came from elsewhere or cannot be read
     */
    async read(c: Context, session: Session | undefined) {
      if (isCrossSite(c.req.raw, publicUrl)) throw new AdminHttpError(403, crossSiteMessage);
      const form = await readFormBody(c.req.raw);
      const [token = '', ofUser = ''] = (form.get(tokenField) ?? '').split('.');
      if (subjectsOf(c, session).some((subject) => signer.matches(subject, token))) return form;
      if (session !== undefined && signer.matches(`user ${session.user.id}`, ofUser)) throw new ExpiredForm(form);
      throw new AdminHttpError(403, staleFormMessage);
    },
  };
}

async function readFormBody(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get('content-type') ?? '';
  if (!/^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(type)) {
    throw new AdminHttpError(415, 'Only forms are accepted here.');
  }
  const text = await readBoundedText(request, maxFormBytes, () => new AdminHttpError(413, 'The form is too large.'));
  if (text === undefined) throw new AdminHttpError(400, 'The form could not be read.');
  return new URLSearchParams(text);
}
