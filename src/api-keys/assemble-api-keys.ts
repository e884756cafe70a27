import { completeClock, quiet } from '../internal/index.js';
import { resolvePrincipal } from './access/actor.js';
import { createEditionReader, hasApiKeys } from './access/edition.js';
import { RequestLookups } from './access/request-lookups.js';
import type { ApiKeys, Invalidation, OpenApiKeysOptions } from './api-keys.js';
import { createAccessMarks } from './authentication/access-marks.js';
import type { SecretHasher } from './authentication/secret-hasher.js';
import { isKeyUsable, verifyHeaders } from './authentication/verify.js';
import type { Context } from './context.js';
import { auditPage } from './keys/audit-trail.js';
import { createKey } from './keys/create-key.js';
import { maxExpiresOn } from './keys/expiry.js';
import { getKey } from './keys/find-key.js';
import { defaultKeyPrefix } from './keys/key-format.js';
import { listPage } from './keys/list-keys.js';
import { revokeKey, revokeKeysOf, userDeleted } from './keys/revoke-keys.js';
import { updateKey } from './keys/update-key.js';
import { addEndedSession, isEndedSession, openStore } from './store/index.js';
import { startExpiryWarnings } from './warnings/expiry-warnings.js';

/** Opens the store and assembles the parts. Expects checked options. */
export async function assembleApiKeys(options: OpenApiKeysOptions, hasher: SecretHasher): Promise<ApiKeys> {
  const clock = completeClock(options.clock);
  const onError = quiet(options.onError);
  const store = await openStore(options.database, hasher, clock.now());
  if (store.advice !== undefined) onError(new Error(store.advice));
  const listeners = new Set<(invalidation: Invalidation) => void>();
  const newLookups = () => new RequestLookups({ timeoutMs: options.lookUpTimeoutMs, clock });
  const keptUses = options.keptUses ?? 5;
  const marks = createAccessMarks({ keptUses, clock, write: (uses) => store.writeMarks(uses, keptUses), onError });
  const context: Context = {
    store,
    hasher,
    marks,
    keyPrefix: options.keyPrefix ?? defaultKeyPrefix,
    edition: createEditionReader(options.edition, onError),
    users: options.users,
    now: () => clock.now(),
    newLookups,
    onError,
    invalidated(invalidations) {
      for (const invalidation of invalidations) {
        // The revocation is done: a failing subscriber must neither hide it nor keep it from the others.
        for (const listener of [...listeners]) quiet(listener, onError)(invalidation);
      }
    },
  };

  const { onExpiring, expiryWarningDays = [14, 3, 1] } = options;
  const endWarnings = onExpiring && startExpiryWarnings(context, clock, onExpiring, expiryWarningDays);

  const underWay = new Set<Promise<unknown>>();
  const closeAll = async () => {
    try {
      await endWarnings?.();
      await Promise.allSettled(underWay);
      // What is lost with it are times of last use: no reason for a service to fail while it stops.
      await marks.close().catch(onError);
    } finally {
      await store.close();
    }
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  const open = <Arguments extends unknown[], Result>(
    job: (context: Context, ...rest: Arguments) => Promise<Result>,
  ) => {
    return async (...rest: Arguments): Promise<Result> => {
      if (closing !== undefined) throw new Error('These API keys have been closed.');
      const result = job(context, ...rest);
      underWay.add(result);
      try {
        return await result;
      } finally {
        underWay.delete(result);
      }
    };
  };

  const verify = open(verifyHeaders);
  return {
    create: open(createKey),
    list: open((_, actor, query = {}) => listPage(context, actor, query)),
    get: open(getKey),
    update: open(updateKey),
    revoke: open(revokeKey),
    revokeAllOf: open(revokeKeysOf),
    audits: open((_, actor, query = {}) => auditPage(context, actor, query)),
    userDeleted: open(userDeleted),
    verify,
    async authenticate(headers, from) {
      const verification = await verify(headers, undefined, from);
      if (verification.outcome !== 'authenticated') return undefined;
      return { userId: verification.userId, apiKeyId: verification.apiKeyId };
    },
    isUsable: open(isKeyUsable),
    mayManageAll: open(async (_, actor) => (await resolvePrincipal(actor, context)).mayManageAll),
    isAvailable: open(async (_, lookups = newLookups()) => hasApiKeys(await context.edition(lookups))),
    keyPrefix: context.keyPrefix,
    maxExpiresOn: () => maxExpiresOn(context.now()).toISOString(),
    endedSessions: {
      add: open((_, id: string, endsOnMs: number) =>
        addEndedSession(store.kysely, { id, endsOn: endsOnMs }, context.now()),
      ),
      has: open((_, id: string) => isEndedSession(store.kysely, id)),
    },
    onInvalidated(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}
