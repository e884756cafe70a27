import { isStillGood, type Principal } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import type { Exchange } from './exchange.js';

/** Ends open streams whose credentials are no longer good (rule K11). */
export interface StreamWatch {
  add(exchange: Exchange): void;
  remove(exchange: Exchange): void;
  readonly size: number;
  /** Looks at all of them: for expiry, for other processes, and for users who are gone. */
  check(): Promise<void>;
  close(): void;
}

export function createStreamWatch(context: AdminContext): StreamWatch {
  const open = new Set<Exchange>();
  // In this process a revocation tells at once.
  const unsubscribe = context.apiKeys.onInvalidated(({ apiKeyId }) => {
    for (const exchange of [...open]) {
      if (exchange.principal.apiKeyId === apiKeyId && !exchange.spared) exchange.end();
    }
  });
  return {
    add: (exchange) => open.add(exchange),
    remove: (exchange) => open.delete(exchange),
    get size() {
      return open.size;
    },
    async check() {
      const byCredentials = new Map<string, Exchange[]>();
      for (const exchange of open) {
        const { user, apiKeyId, passwordHash } = exchange.principal;
        const credentials = JSON.stringify([user.id, apiKeyId, passwordHash]);
        byCredentials.set(credentials, [...(byCredentials.get(credentials) ?? []), exchange]);
      }
      for (const exchanges of byCredentials.values()) {
        const principal = exchanges[0]?.principal;
        if (principal === undefined || (await isGood(context, principal))) continue;
        for (const exchange of exchanges) exchange.end();
      }
    },
    close() {
      unsubscribe();
      for (const exchange of [...open]) exchange.end();
    },
  };
}

/** What cannot be checked is not good: the client opens its stream again, and is told then. */
async function isGood(context: AdminContext, principal: Principal): Promise<boolean> {
  try {
    return await isStillGood(context, principal);
  } catch (error) {
    context.onError(error);
    return false;
  }
}
