import { randomBytes } from 'node:crypto';
import type { Context } from 'hono';
import { type DirectoryUser, isEnabled, type RequestLookups } from '../../../api-keys/index.js';
import { parseJson } from '../../../internal/index.js';
import type { AdminContext } from '../../context.js';
import { createCookie, signedName } from './cookies.js';
import { createSigner } from './signing.js';

const lifetimeMs = 8 * 60 * 60 * 1000;
/** How far the clock of a process may be behind that of another one, where somebody has just signed in. */
const clockSkewMs = 60_000;

/** A signed-in browser and its user, as in the directory at this request (rule K11). */
export interface Session {
  readonly id: string;
  /** As other tabs of the browser may know it. */
  readonly otherIds?: readonly string[];
  readonly user: DirectoryUser;
}

interface SessionCookie {
  readonly id: string;
  readonly userId: string;
  readonly issuedAtMs: number;
  /** Changes with the password without revealing it: a new password ends the old one's sessions. */
  readonly passwordTag: string;
}

export interface Sessions {
  /** `undefined` also after a sign-out in any process, and for a user who is disabled, deleted or has a new password. */
  read(c: Context, lookups: RequestLookups): Promise<Session | undefined>;
}

export type OwnSessions = ReturnType<typeof createOwnSessions>;

/** Sessions of the administration itself: signed cookies, so that they survive restarts and all processes take them. */
export function createOwnSessions(context: AdminContext) {
  const { apiKeys, basePath, clock, sessionSecret, users } = context;
  const cookie = createCookie(basePath, signedName('concordat_session', sessionSecret), 'Lax', lifetimeMs / 1000);
  const signer = createSigner(sessionSecret, 'session');
  const passwords = createSigner(sessionSecret, 'password of a session');
  const passwordTag = (user: DirectoryUser) => passwords.tag(user.passwordHash ?? '');

  return {
    start(c: Context, user: DirectoryUser) {
      const session: SessionCookie = {
        id: randomBytes(16).toString('base64url'),
        userId: user.id,
        issuedAtMs: clock.now(),
        passwordTag: passwordTag(user),
      };
      cookie.write(c, signer.seal(JSON.stringify(session)));
    },
    async read(c: Context, lookups: RequestLookups) {
      const text = signer.open(cookie.read(c) ?? '');
      if (text === undefined) return undefined;
      const session = parseJson(text) as SessionCookie;
      const ageMs = clock.now() - session.issuedAtMs;
      if (ageMs < -clockSkewMs || ageMs >= lifetimeMs) return undefined;
      if (await apiKeys.endedSessions.has(session.id)) return undefined;
      const user = await lookups.findUser(users, session.userId);
      if (!isEnabled(user) || passwordTag(user) !== session.passwordTag) return undefined;
      return { id: session.id, user };
    },
    /** Signs out; copies of the cookie are worthless, too. */
    async end(c: Context, session: Session) {
      // Whenever it began, it has ended by itself by then.
      await apiKeys.endedSessions.add(session.id, clock.now() + lifetimeMs);
      cookie.clear(c);
    },
  };
}
