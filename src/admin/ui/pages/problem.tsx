import type { Context } from 'hono';
import { isApiKeyError } from '../../../api-keys/index.js';
import { AdminHttpError, describeFailure } from '../../http/errors.js';
import { staleFormMessage } from '../browser/forms.js';
import { Brand } from '../components/icon.js';
import { Document, Page, PageHeader } from '../components/layout.js';
import { LinkButton } from '../components/link-button.js';
import { useShown } from '../look.js';
import { knownPageContext, readPageContext } from '../page-context.js';
import { signInAddress, type Ui } from '../ui.js';

/** For unknown addresses, and for pages whose existence the user may not learn. */
export function pageNotFound(): AdminHttpError {
  return new AdminHttpError(404, 'There is no such page.');
}

export function userNotFound(): AdminHttpError {
  return new AdminHttpError(404, 'This user does not exist, or no longer does.');
}

/** The page for any error. Unexpected ones are reported and show no details. */
export async function showProblem(ui: Ui, c: Context, thrown: unknown): Promise<Response> {
  const { status, body, headers, expected } = describeFailure(thrown);
  if (!expected) ui.context.onError(thrown);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  // The same failure may hit this look-up: then the page has no menu.
  const isSlow = isApiKeyError(thrown, 'unavailable');
  const known = knownPageContext(c) ?? (isSlow ? undefined : await readPageContext(ui, c).catch(() => undefined));
  const { texts } = ui.look;
  const isStale = body.errorMessage === staleFormMessage;
  const problem = {
    title: isStale ? texts.formExpired : (texts.problems[status] ?? texts.somethingWentWrong),
    message: texts.message(body.errorMessage),
    signIn: c.get(signInAddress) as string | undefined,
  };
  return await ui.render(c, <Problem isSignedIn={known !== undefined} {...problem} />, status);
}

interface ProblemProps {
  isSignedIn: boolean;
  title: string;
  message: string;
  /** The address of the host's sign-in page, if that is what helps. */
  signIn: string | undefined;
}

function Problem({ isSignedIn, title, message, signIn }: ProblemProps) {
  const { links, texts } = useShown();
  if (isSignedIn) {
    return (
      <Page title={title}>
        <PageHeader title={title}>{message}</PageHeader>
        <div class="button-row">
          <LinkButton href={links.home}>{texts.goToStart}</LinkButton>
        </div>
      </Page>
    );
  }
  return (
    <Document title={title} bodyClass="alone">
      <main class="alone-brand">
        <Brand size={40} />
        <h1>{title}</h1>
        <p class="muted">{message}</p>
        <LinkButton href={signIn ?? links.home}>{signIn === undefined ? texts.goToStart : texts.signIn}</LinkButton>
      </main>
    </Document>
  );
}
