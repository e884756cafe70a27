import type { Child, PropsWithChildren } from 'hono/jsx';
import { tokenField } from '../browser/forms.js';
import { useShown } from '../look.js';
import { Brand, Icon, type IconShape } from './icon.js';
import { Notice } from './notice.js';

interface Extras {
  /** Addresses. */
  readonly stylesheet?: string | undefined;
  readonly script?: string | undefined;
  readonly refreshSeconds?: number | undefined;
}

interface DocumentProps {
  title: string;
  bodyClass?: string;
  /** What a section's page adds. */
  extras?: Extras | undefined;
}

/** A whole document; also used by pages without sign-in. */
export function Document({ title, bodyClass, extras = {}, children }: PropsWithChildren<DocumentProps>) {
  const look = useShown();
  const { stylesheet, script, refreshSeconds } = extras;
  return (
    <html lang={look.texts.language}>
      <head>
        <meta charset="utf-8" />
        <title>{`${title} · ${look.name}`}</title>
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="robots" content="noindex" />
        <link rel="icon" href={look.icon} />
        <link rel="stylesheet" href={look.stylesheet} />
        {stylesheet !== undefined && <link rel="stylesheet" href={stylesheet} />}
        <script src={look.script} defer></script>
        {script !== undefined && <script src={script} defer></script>}
        {refreshSeconds !== undefined && (
          <noscript>
            <meta http-equiv="refresh" content={String(refreshSeconds)} />
          </noscript>
        )}
      </head>
      <body {...(bodyClass !== undefined && { class: bodyClass })}>{children}</body>
    </html>
  );
}

interface PageProps {
  title: string;
  /** The current menu entry: a built-in one, or the name of a section. */
  section?: string;
  extras?: Extras;
}

/** A page for a signed-in user. */
export function Page({ title, section, extras, children }: PropsWithChildren<PageProps>) {
  const { flash, links, name, texts, user } = useShown();
  return (
    <Document title={title} extras={extras}>
      <a class="skip-link" href="#content">
        {texts.skipToContent}
      </a>
      <header class="top-bar">
        <a class="brand" href={links.home}>
          <Brand size={22} />
          {name}
        </a>
        <div class="account">
          <span class="account-name">
            <span class="avatar" aria-hidden="true">
              {[...user.username][0]}
            </span>
            <span>
              <span class="visually-hidden">{texts.signedInAs}</span>
              {user.username}
            </span>
          </span>
          <SignOut />
        </div>
      </header>
      <div class="shell">
        <Menu section={section} />
        <main id="content" class="content" tabindex={-1}>
          {flash !== undefined && (
            <Notice kind="success" focused>
              {flash}
            </Notice>
          )}
          {children}
        </main>
      </div>
    </Document>
  );
}

/** Where the host signs in, its own page also signs out. */
function SignOut() {
  const { hostSignIn, links, texts } = useShown();
  if (hostSignIn === undefined) {
    return (
      <form method="post" action={links.signOut}>
        <Token />
        <button class="button button-quiet button-small" type="submit">
          {texts.signOut}
        </button>
      </form>
    );
  }
  if (hostSignIn.signOutUrl === undefined) return null;
  return (
    <a class="button button-quiet button-small" href={hostSignIn.signOutUrl}>
      {texts.signOut}
    </a>
  );
}

function Menu({ section }: { section: string | undefined }) {
  const { links, sections, shows, texts } = useShown();
  const own = [
    { name: 'api-keys', isShown: shows.apiKeys, icon: 'key', href: links.apiKeys(), text: texts.menuApiKeys },
    { name: 'audits', isShown: shows.apiKeys, icon: 'history', href: links.audits(), text: texts.menuAudits },
    { name: 'users', isShown: shows.users, icon: 'users', href: links.users(), text: texts.menuUsers },
  ] as const;
  return (
    <nav class="menu" aria-labelledby="menu-heading">
      <p class="menu-heading" id="menu-heading">
        {texts.administration}
      </p>
      <ul>
        {sections.map(({ name, title, icon }) => (
          <MenuEntry href={links.section(name)} icon={{ d: icon ?? '' }} text={title} current={section === name} />
        ))}
        {own.map(
          ({ name, isShown, icon, href, text }) =>
            isShown && <MenuEntry href={href} icon={{ name: icon }} text={text} current={section === name} />,
        )}
      </ul>
    </nav>
  );
}

function MenuEntry({ href, icon, text, current }: { href: string; icon: IconShape; text: string; current: boolean }) {
  return (
    <li>
      <a href={href} {...(current && { 'aria-current': 'page' as const })}>
        <Icon {...icon} />
        {text}
      </a>
    </li>
  );
}

interface PageHeaderProps {
  title: Child;
  back?: { href: string; text: string };
  /** Shown beside the heading, such as a status. */
  beside?: Child;
  actions?: Child;
}

export function PageHeader({ title, back, beside, actions, children }: PropsWithChildren<PageHeaderProps>) {
  return (
    <div class="page-header">
      <div>
        {back !== undefined && (
          <a class="back-link" href={back.href}>
            <Icon name="left" size={14} />
            {back.text}
          </a>
        )}
        <div class="title-line">
          <h1>{title}</h1>
          {beside}
        </div>
        {children !== undefined && <p>{children}</p>}
      </div>
      {actions !== undefined && <div class="page-actions">{actions}</div>}
    </div>
  );
}

/** Belongs in every form that is posted. */
export function Token({ token = useShown().token }: { token?: string }) {
  return <input type="hidden" name={tokenField} value={token} />;
}
