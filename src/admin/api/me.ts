import type { Actor } from '../../api-keys/index.js';
import { dayMs } from '../../internal/index.js';
import type { Caller } from '../authentication/authenticate.js';
import type { AdminContext } from '../context.js';

/** The caller, their rights, and how long their key is still valid. */
export async function describeCaller(context: AdminContext, caller: Caller, actor: Actor): Promise<object> {
  const { user, authenticatedBy, apiKeyId, lookups } = caller;
  return {
    user: { id: user.id, username: user.username },
    rights: {
      createApiKeys: await context.isAvailable(lookups),
      manageAllApiKeys: await context.apiKeys.mayManageAll(actor),
    },
    edition: await context.edition(lookups),
    maxExpiresOn: context.apiKeys.maxExpiresOn(),
    authenticatedBy,
    apiKey: apiKeyId === undefined ? null : await describeKey(context, actor, apiKeyId),
  };
}

async function describeKey(context: AdminContext, actor: Actor, apiKeyId: string): Promise<object> {
  const { id, name, status, expiresOn } = await context.apiKeys.get(actor, apiKeyId);
  const leftMs = Date.parse(expiresOn) - context.clock.now();
  return { id, name, status, expiresOn, daysLeft: Math.max(0, Math.floor(leftMs / dayMs)) };
}
