import type { Context } from 'hono';
import type { Actor, DirectoryUser } from '../../api-keys/index.js';
import type { AdminContext } from '../context.js';
import type { AdminSection } from '../sections.js';
import { isManaged } from '../users.js';
import type { Forms } from './forms.js';
import type { Links } from './links.js';
import type { Session, Sessions } from './session.js';

/** One request of somebody who is signed in: who, what they may do and see at this moment. */
export interface Visit {
  readonly session: Session;
  readonly user: DirectoryUser;
  readonly actor: Actor;
  readonly links: Links;
  /** For the forms of the page. */
  readonly token: string;
  /** What has just been done. */
  readonly flash: string | undefined;
  readonly nowMs: number;
  /** Keys of all users (specification 5.3). */
  readonly mayManageAll: boolean;
  /** Whether the edition has API keys, so that they can be created and edited (rule K12). */
  readonly isAvailable: boolean;
  /** The entries of the menu. */
  readonly shows: { readonly apiKeys: boolean; readonly users: boolean };
  /** Those of the host that this user may visit. */
  readonly sections: readonly AdminSection[];
}

export interface VisitParts {
  readonly context: AdminContext;
  readonly sessions: Sessions;
  readonly forms: Forms;
  readonly links: Links;
}

/** `undefined` when nobody is signed in. Rights, user and edition are asked for at every request (rules K11, K12). */
export async function readVisit(parts: VisitParts, c: Context): Promise<Visit | undefined> {
  const { context, sessions, forms, links } = parts;
  const session = await sessions.read(c);
  if (session === undefined) return undefined;
  const { user } = session;
  const actor: Actor = {
    userId: user.id,
    username: user.username,
    origin: 'UI',
    authenticatedBy: 'session',
    superAdmin: user.superAdmin,
    permissions: user.permissions,
  };
  const mayManageAll = await context.apiKeys.mayManageAll(actor);
  const isAvailable = await context.isAvailable();
  return {
    session,
    user,
    actor,
    links,
    token: forms.tokenFor(session),
    flash: undefined,
    nowMs: context.clock.now(),
    mayManageAll,
    isAvailable,
    shows: {
      apiKeys: isAvailable || (await hasKeys(context, actor, mayManageAll)),
      users: mayManageUsers(context, user),
    },
    sections: context.sections.filter(({ mayVisit }) => mayVisit?.(user) ?? true),
  };
}

function mayManageUsers(context: AdminContext, user: DirectoryUser): boolean {
  return user.superAdmin === true && isManaged(context.users);
}

async function hasKeys({ apiKeys }: AdminContext, actor: Actor, mayManageAll: boolean): Promise<boolean> {
  const { items } = await apiKeys.list(actor, { scope: mayManageAll ? 'all' : 'my', limit: 1 });
  return items.length > 0;
}
