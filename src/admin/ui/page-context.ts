import type { Context } from 'hono';
import { type Actor, rightsOf, toActor } from '../../api-keys/index.js';
import type { AdminContext } from '../context.js';
import { isManaged } from '../users.js';
import type { Forms } from './browser/forms.js';
import type { Sessions } from './browser/session.js';

/** One request of a signed-in user, and what that user may do and see at this moment. */
export type PageContext = NonNullable<Awaited<ReturnType<typeof readPageContext>>>;

const cached = 'pageContext';

/** `undefined` when nobody is signed in. User, rights and edition are looked up once a request (rules K11, K12). */
export async function readPageContext(
  { context, sessions, forms }: { context: AdminContext; sessions: Sessions; forms: Forms },
  c: Context,
) {
  // What an earlier look-up of this request found may no longer be so.
  c.set(cached, undefined);
  const lookups = context.newLookups();
  const session = await sessions.read(c, lookups);
  if (session === undefined) return undefined;
  const { user } = session;
  const actor = toActor(user, { origin: 'UI', authenticatedBy: 'session', lookups });
  const mayManageAll = await context.apiKeys.mayManageAll(actor);
  const isAvailable = await context.isAvailable(lookups);
  const pageContext = {
    session,
    user,
    actor,
    hostSignIn: context.hostSignIn,
    /** For the forms of the page. */
    token: forms.tokenFor(session),
    nowMs: context.clock.now(),
    maxExpiresOn: context.apiKeys.maxExpiresOn(),
    mayManageAll,
    /** Whether keys can be created and edited (rule K12). */
    isAvailable,
    /** The administration's own menu entries. */
    shows: {
      apiKeys: isAvailable || (await hasKeys(context, actor, mayManageAll)),
      users: rightsOf(user).superAdmin && isManaged(context.users),
    },
    sections: context.sections.filter(({ mayVisit }) => mayVisit?.(user) ?? true),
  };
  c.set(cached, pageContext);
  return pageContext;
}

/** What {@link readPageContext} last returned for this request. */
export function knownPageContext(c: Context): PageContext | undefined {
  return c.get(cached);
}

async function hasKeys({ apiKeys }: AdminContext, actor: Actor, mayManageAll: boolean): Promise<boolean> {
  const { items } = await apiKeys.list(actor, { scope: mayManageAll ? 'all' : 'my', limit: 1 });
  return items.length > 0;
}
