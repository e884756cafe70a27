import { systemClock, within } from '../../internal/index.js';
import { type Caller, lookAgain } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';
import type { OpenRequest } from './open-request.js';

/** The reason given for requests that end, or are refused, because the service does. */
export const closingMessage = 'The service is closing.';

/** Ends open streams whose credentials are no longer valid (rule K11). */
export function createStreamWatch(context: AdminContext) {
  const open = new Set<OpenRequest>();
  let allOver = () => {};
  // A revocation in this process is reported at once.
  const unsubscribe = context.apiKeys.onInvalidated(({ apiKeyId }) => {
    for (const request of [...open]) {
      if (request.caller.apiKeyId === apiKeyId && !request.revokesOwnKey) request.end();
    }
  });
  return {
    add: (request: OpenRequest) => open.add(request),
    remove(request: OpenRequest) {
      open.delete(request);
      if (open.size === 0) allOver();
    },
    get size() {
      return open.size;
    },
    /** Checks all of them: keys expire, other processes revoke, users are deleted. */
    async check() {
      const byCredentials = new Map<string, OpenRequest[]>();
      for (const request of open) {
        const { user, apiKeyId, passwordHash } = request.caller;
        const credentials = JSON.stringify([user.id, apiKeyId, passwordHash]);
        byCredentials.set(credentials, [...(byCredentials.get(credentials) ?? []), request]);
      }
      for (const requests of byCredentials.values()) {
        const caller = requests[0]?.caller;
        if (caller === undefined || (await isValid(context, caller))) continue;
        for (const request of requests) request.end();
      }
    },
    /** Ends what is open: streams at once, and calls that are running after `graceMs`. */
    async close(graceMs: number) {
      for (const request of [...open]) if (request.ids.length === 0) request.end(closingMessage);
      if (open.size > 0 && graceMs > 0) {
        const over = new Promise<void>((resolve) => {
          allOver = resolve;
        });
        await within(graceMs, 'The last calls', systemClock, over).catch(() => {});
      }
      unsubscribe();
      for (const request of [...open]) request.end(closingMessage);
    },
  };
}

/** Credentials that cannot be checked end the stream: the client opens it again and gets the error then. */
async function isValid(context: AdminContext, caller: Caller): Promise<boolean> {
  try {
    return 'user' in (await lookAgain(context, caller));
  } catch (error) {
    context.onError(error);
    return false;
  }
}
