import type { Context, Hono } from 'hono';
import { checkPassword } from '../../authentication/check-password.js';
import { AdminHttpError } from '../../http/errors.js';
import { readReturnPath } from '../addresses/links.js';
import { staleFormMessage } from '../browser/forms.js';
import type { OwnSessions } from '../browser/session.js';
import { Brand } from '../components/icon.js';
import { Document, Token } from '../components/layout.js';
import { Notice } from '../components/notice.js';
import { TextField } from '../forms/field.js';
import { useShown } from '../look.js';
import type { AdminTexts } from '../texts/texts-option.js';
import type { Ui } from '../ui.js';

interface SignInView {
  readonly username?: string;
  readonly next?: string | undefined;
  readonly problem?: string;
  readonly flash?: string | undefined;
}

/** Signing in and out; where the host does both, its page is the only one. */
export function signInRoutes(app: Hono, ui: Ui): void {
  const { context, ownSessions } = ui;
  const toPage = (c: Context) =>
    c.redirect(readReturnPath(c.req.query('next'), context.basePath) ?? ui.links.home, 303);
  if (ownSessions === undefined) ui.get('/sign-in', toPage);
  else ownSignInRoutes(app, ui, ownSessions);
}

function ownSignInRoutes(app: Hono, ui: Ui, sessions: OwnSessions): void {
  const { context, flashes, forms, links } = ui;
  const show = (c: Context, view: SignInView, status?: number) =>
    ui.render(c, <SignIn token={forms.tokenBeforeSignIn(c)} {...view} />, status);

  app.get('/sign-in', async (c) => {
    const next = readReturnPath(c.req.query('next'), context.basePath);
    if ((await sessions.read(c, context.newLookups())) !== undefined) return c.redirect(next ?? links.home, 303);
    return await show(c, { next, flash: flashes.take(c) });
  });

  app.post('/sign-in', async (c) => {
    let view: SignInView = {};
    const source = context.clientAddress(c.req.raw, c.env);
    try {
      const form = await forms.read(c, undefined);
      const username = form.get('username') ?? '';
      const next = readReturnPath(form.get('next'), context.basePath);
      view = { username, next };
      const user = await checkPassword(context, context.newLookups(), source, {
        username,
        password: form.get('password') ?? '',
      });
      if (user !== undefined) {
        sessions.start(c, user);
        return c.redirect(next ?? links.home, 303);
      }
      context.authenticationFailed({ reason: 'password' }, source);
      c.header('www-authenticate', 'Form');
      return await show(c, { ...view, problem: ui.look.texts.wrongPassword }, 401);
    } catch (error) {
      if (!(error instanceof AdminHttpError) || error.cause !== undefined) throw error;
      if (error.status === 429) context.authenticationFailed({ reason: 'throttled' }, source);
      if (error.status === 503) context.authenticationFailed({ reason: 'busy' }, source);
      for (const [name, value] of Object.entries(error.headers)) c.header(name, value);
      return await show(c, { ...view, problem: describe(error, ui.look.texts) }, error.status);
    }
  });

  ui.post('/sign-out', async (c, pageContext) => {
    await sessions.end(c, pageContext.session);
    flashes.leave(c, ui.look.texts.signedOut);
    return c.redirect(links.signIn, 303);
  });
}

function describe({ status, message, headers }: AdminHttpError, texts: AdminTexts): string {
  if (message === staleFormMessage) return texts.staleSignIn;
  const seconds = Number(headers['retry-after']);
  return status === 429 && !Number.isNaN(seconds) ? texts.tooManyAttempts(seconds) : texts.message(message);
}

function SignIn({ token, username = '', next, problem, flash }: SignInView & { token: string }) {
  const { links, name, texts } = useShown();
  return (
    <Document title={problem === undefined ? texts.signIn : texts.error(texts.signIn)} bodyClass="alone">
      <main>
        <div class="alone-brand">
          <Brand size={40} />
          <h1>{texts.signInTo(name)}</h1>
        </div>
        {flash !== undefined && (
          <Notice kind="neutral" focused>
            {flash}
          </Notice>
        )}
        {problem !== undefined && (
          <Notice kind="danger" focused>
            {problem}
          </Notice>
        )}
        <form class="card card-body stack" method="post" action={links.signIn} novalidate>
          <Token token={token} />
          {next !== undefined && <input type="hidden" name="next" value={next} />}
          <TextField
            id="username"
            label={texts.username}
            value={username}
            autocomplete="username"
            focused={problem === undefined && flash === undefined}
          />
          <TextField id="password" label={texts.password} value="" type="password" autocomplete="current-password" />
          <button class="button button-primary" type="submit">
            {texts.signIn}
          </button>
        </form>
      </main>
    </Document>
  );
}
