import type { Context } from 'hono';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isApiKeyError } from '../../../api-keys/index.js';
import { AdminHttpError, describeFailure } from '../../http/errors.js';
import { Brand } from '../components/icon.js';
import { Document, Page, PageHeader } from '../components/layout.js';
import { knownPageContext, type PageContext, readPageContext } from '../page-context.js';
import { render, type Ui } from '../ui.js';

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Not found',
  409: 'No longer possible',
  413: 'Too large',
  415: 'Not a form',
  429: 'Too many attempts',
  503: 'Not available at this moment',
};

/** For unknown addresses, and for pages whose existence the user may not learn. */
export function pageNotFound(): AdminHttpError {
  return new AdminHttpError(404, 'There is no such page.');
}

/** The page for any error. Unexpected ones are reported and show no details. */
export async function showProblem(ui: Ui, c: Context, thrown: unknown): Promise<Response> {
  const { status, body, headers, expected } = describeFailure(thrown);
  if (!expected) ui.context.onError(thrown);
  for (const [name, value] of Object.entries(headers)) c.header(name, value);
  // The same failure may hit this look-up: then the page has no menu.
  const isSlow = isApiKeyError(thrown, 'unavailable');
  const pageContext = knownPageContext(c) ?? (isSlow ? undefined : await readPageContext(ui, c).catch(() => undefined));
  const problem = { title: titles[status] ?? 'Something went wrong', message: body.errorMessage };
  return await render(c, <Problem ui={ui} pageContext={pageContext} {...problem} />, status as ContentfulStatusCode);
}

interface ProblemProps {
  ui: Ui;
  pageContext: PageContext | undefined;
  title: string;
  message: string;
}

function Problem({ ui, pageContext, title, message }: ProblemProps) {
  const { links } = ui;
  if (pageContext !== undefined) {
    return (
      <Page pageContext={pageContext} title={title}>
        <PageHeader title={title}>{message}</PageHeader>
        <div class="button-row">
          <a class="button" href={links.home}>
            Go to the start page
          </a>
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
        <a class="button" href={links.home}>
          Go to the start page
        </a>
      </main>
    </Document>
  );
}
