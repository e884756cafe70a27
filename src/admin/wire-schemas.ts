import { z } from 'zod';
import {
  apiKeySorts,
  apiKeyStatuses,
  auditedFields,
  maxPageLimit,
  maxSearchCharacters,
  origins,
  revisionTypes,
  scopes,
} from '../api-keys/index.js';

// What the Admin API and the MCP tools send and take (rules K1, K6, K13). The domain checks what comes in, with its own
// messages; these schemas describe it, in the OpenAPI document and in the tools' definitions.

const timestamp = (description: string) =>
  z.string().meta({ description, format: 'date-time', examples: ['2027-01-31T18:00:00.000Z'] });

const apiKeyId = () =>
  z.string().meta({
    description: 'Public id of the key: the part of its value between the first two underscores.',
    pattern: '^[0-9A-Za-z]{12}$',
    examples: ['4fK0aZ81bQxT'],
  });

const user = z
  .object({ id: z.string(), username: z.string() })
  .meta({ description: 'A user of the service.', examples: [{ id: 'u-17', username: 'alice' }] });

const status = z.enum(apiKeyStatuses);
const origin = z.enum(origins);
const revisionType = z.enum(revisionTypes);
const scope = z.enum(scopes);

export const apiKeySchema = z
  .object({
    id: apiKeyId(),
    name: z.string().meta({ examples: ['Nightly export'] }),
    status: status.describe('`Expired` and `Revoked` are for good.'),
    createdBy: user.describe('Who created and owns the key; `username` as it was then.'),
    createdOn: timestamp('When the key was created.'),
    expiresOn: timestamp('From this moment on the key does not authenticate.'),
    lastAccessed: timestamp('Last successful use; null until there was one.').nullable(),
    revokedOn: timestamp('When the key was revoked; null while it is not.').nullable(),
    refusedUses: z.int().min(0).describe('How often the key was used after it had expired or been revoked.'),
    lastRefusedOn: timestamp('When that was the last time.').nullable(),
    version: z
      .int()
      .min(1)
      .describe('Grows with every change; give it back with an edit to be told of one in between.'),
  })
  .describe('An API key. Its value is not part of it and cannot be had again.');

export const createdApiKeySchema = z
  .object({
    ...apiKeySchema.shape,
    key: z
      .string()
      .meta({ description: 'The value of the key, shown this once.', pattern: '^ck_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$' }),
  })
  .describe('The key just made, with its value.');

export const apiKeyPageSchema = z
  .object({
    items: z.array(apiKeySchema),
    nextCursor: z.string().nullable().describe('`cursor` of the next page; null on the last one.'),
    total: z.int().min(0).optional().describe('All matching keys; only when asked for.'),
  })
  .describe('One page of API keys.');

export const auditEntrySchema = z
  .object({
    id: z.int().min(1).describe('Ascending.'),
    apiKeyId: apiKeyId(),
    name: z.string().describe('Name of the key after the change.'),
    author: user.describe('Who made the change.'),
    actingApiKey: z
      .object({ id: apiKeyId(), name: z.string() })
      .nullable()
      .describe('The key that authenticated the request; null when none did, or when the caller may not see it.'),
    changeTime: timestamp('When the change was made.'),
    revisionType,
    changes: z.array(
      z.object({
        field: z.enum(auditedFields),
        from: z.string().nullable(),
        to: z.string().nullable(),
      }),
    ),
    origin: origin.describe('Where the change came from.'),
  })
  .describe('One change of one API key.');

export const auditPageSchema = z
  .object({ items: z.array(auditEntrySchema), nextCursor: z.string().nullable() })
  .describe('One page of the audit trail, newest first.');

export const meSchema = z
  .object({
    user,
    rights: z.object({
      createApiKeys: z.boolean().describe('Whether the edition lets create and edit keys.'),
      manageAllApiKeys: z.boolean().describe('Whether the keys of all users may be seen and managed.'),
    }),
    edition: z.string().meta({ examples: ['Professional'] }),
    maxExpiresOn: timestamp('The latest `expiresOn` that is accepted now: one calendar year ahead.'),
    authenticatedBy: z.enum(['basic', 'api-key']),
    apiKey: z
      .object({
        id: apiKeyId(),
        name: z.string(),
        status,
        expiresOn: timestamp('When the key expires.'),
        daysLeft: z.int().min(0).describe('Whole days until then.'),
      })
      .nullable()
      .describe('The key that authenticated this request; null with Basic.'),
  })
  .describe('The caller: a self-test for a key.');

export const errorSchema = z
  .object({
    errorMessage: z.string(),
    stackTrace: z.null(),
    fieldErrors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe('What is wrong, field by field.'),
  })
  .describe('Body of every error.');

const name = z.string().meta({
  description: '1 to 100 characters after trimming, no control characters; unique over all keys in any state.',
  examples: ['Nightly export'],
});
const expiresOn = z.string().meta({
  description:
    'ISO 8601 date-time with an offset, or a date, which means its end in UTC. In the future, at most one calendar year ahead.',
  examples: ['2027-01-31T18:00:00Z', '2027-01-31'],
});

export const newApiKeySchema = z
  .object({ name, expiresOn })
  .describe('The owner is always the caller. Other fields are ignored.');

export const apiKeyChangesSchema = z
  .object({
    name: name.optional(),
    expiresOn: expiresOn.optional(),
    version: z
      .int()
      .optional()
      .describe('The version that was seen: the edit is refused when the key has changed since.'),
  })
  .describe('What to change: `name`, `expiresOn` or both. Other fields are ignored.');

const cursor = z.string().optional().describe('`nextCursor` of the page before.');
const limit = z.int().min(1).max(maxPageLimit).optional().describe('How many at most; 50 without it.');

export const listQuerySchema = z.object({
  scope: scope.optional().describe("`my`: the caller's own keys. `all`: those of all users, for who may manage them."),
  status: status.optional(),
  search: z
    .string()
    .max(maxSearchCharacters)
    .optional()
    .describe("Part of a key's or its creator's name, whatever the case; or the beginning of a key's id."),
  sort: z.enum(apiKeySorts).optional().describe('A leading `-` sorts downwards; `-createdOn` without it.'),
  cursor,
  limit,
  total: z.boolean().optional().describe('Counts all matching keys, too.'),
});

export const auditQuerySchema = z.object({
  scope: scope.optional().describe('Everything the caller may see without it.'),
  apiKeyId: apiKeyId().optional(),
  revisionType: revisionType.optional(),
  cursor,
  limit,
});

export const apiKeyIdSchema = apiKeyId();
