import * as z from 'zod';
import {
  apiKeyScopes,
  apiKeySorts,
  apiKeyStatuses,
  auditedFields,
  auditOrigins,
  maxDescriptionCharacters,
  maxPageLimit,
  maxSearchCharacters,
  maxUserIdCharacters,
  revisionTypes,
} from '../api-keys/index.js';
import { exportFormats } from './audit-export.js';

// What the Admin API and the MCP tools send and accept (rules K1, K6, K13), for the OpenAPI document and the tools'
// definitions. `apiKeys` checks the input itself, with messages of its own.

const timestamp = (description: string) =>
  z.string().meta({ description, format: 'date-time', examples: ['2027-01-31T18:00:00.000Z'] });

const apiKeyId = () =>
  z.string().meta({
    description: 'The public id of the key: the part of its value between the first two underscores.',
    pattern: '^[0-9A-Za-z]{12}$',
    examples: ['4fK0aZ81bQxT'],
  });

const user = z
  .object({ id: z.string(), username: z.string() })
  .meta({ description: 'A user of the service.', examples: [{ id: 'u-17', username: 'alice' }] });

const status = z.enum(apiKeyStatuses);
const origin = z.enum(auditOrigins);
const revisionType = z.enum(revisionTypes);
const scope = z.enum(apiKeyScopes);

const keyUse = z
  .object({
    address: z.string().nullable().describe("The client's address; null if it is not known."),
    userAgent: z.string().nullable().describe('Null if the request had none.'),
    lastUsedOn: timestamp('The last use from there.'),
  })
  .meta({ examples: [{ address: '192.0.2.7', userAgent: 'curl/8.5.0', lastUsedOn: '2026-11-22T02:00:01.250Z' }] });

function pageOf<Item extends z.ZodType>(item: Item, items: string) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable().describe('The `cursor` of the next page; null on the last page.'),
    total: z.int().min(0).optional().describe(`Number of all matching ${items}; only if requested.`),
  });
}

const apiKeySchema = z
  .object({
    id: apiKeyId(),
    name: z.string().meta({ examples: ['Nightly export'] }),
    description: z.string().nullable().describe('Free text of one or more lines; null for none.'),
    status: status.describe('`Expired` and `Revoked` are final.'),
    createdBy: user.describe('The user who created the key and owns it; `username` as of creation.'),
    createdOn: timestamp('When the key was created.'),
    expiresOn: timestamp('When the key stops authenticating.'),
    lastAccessed: timestamp('Last successful use; null if the key was never used.').nullable(),
    recentUses: z.array(keyUse).describe('The last use from each place, latest first; the last five by default.'),
    revokedOn: timestamp('When the key was revoked; null if it is not.').nullable(),
    refusedUses: z.int().min(0).describe('How often the key was presented after it expired or was revoked.'),
    lastRefusedOn: timestamp('When it was last presented after its end; null if never.').nullable(),
    version: z.int().min(1).describe('Increases with every change. Send it with an edit to detect changes in between.'),
  })
  .describe('An API key, without its value, which cannot be retrieved.');

const auditEntrySchema = z
  .object({
    id: z.int().min(1).describe('Ascending.'),
    apiKeyId: apiKeyId(),
    name: z.string().describe('The name of the key after the change.'),
    author: user.describe('Who made the change.'),
    actingApiKey: z
      .object({ id: apiKeyId(), name: z.string() })
      .nullable()
      .describe('The key that authenticated the request; null if there was none, or if the caller may not see it.'),
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

const name = z.string().meta({
  description:
    '1 to 100 characters after trimming, no control characters; unique among all keys, whatever their status.',
  examples: ['Nightly export'],
});
const expiresOn = z.string().meta({
  description:
    'ISO 8601 date-time with an offset, or a date, which means the end of that day in UTC. In the future, at most one calendar year ahead.',
  examples: ['2027-01-31T18:00:00Z', '2027-01-31'],
});

const description = z
  .string()
  .max(maxDescriptionCharacters)
  .nullable()
  .optional()
  .meta({
    description: 'Free text of one or more lines, such as who uses the key; null or empty for none.',
    examples: ['Runs on build-7; ask the release team.'],
  });

/** By the names of the OpenAPI document's components, as are the bodies. */
export const responseSchemas = {
  ApiKey: apiKeySchema,
  CreatedApiKey: z
    .object({
      ...apiKeySchema.shape,
      key: z.string().meta({
        description: 'The value of the key, returned only once.',
        pattern: '^[a-z][a-z0-9]*_[0-9A-Za-z]{12}_[0-9A-Za-z]{49}$',
      }),
    })
    .describe('The new key, with its value.'),
  ApiKeyPage: pageOf(apiKeySchema, 'keys').describe('One page of API keys.'),
  AuditEntry: auditEntrySchema,
  AuditPage: pageOf(auditEntrySchema, 'entries').describe('One page of the audit trail, newest first.'),
  Me: z
    .object({
      user,
      rights: z.object({
        createApiKeys: z.boolean().describe('Whether the edition allows creating and editing keys.'),
        manageAllApiKeys: z.boolean().describe('Whether the caller may see and manage the keys of all users.'),
      }),
      edition: z.string().meta({ examples: ['Professional'] }),
      maxExpiresOn: timestamp('The latest `expiresOn` accepted now: one calendar year ahead.'),
      authenticatedBy: z.enum(['basic', 'api-key']),
      apiKey: z
        .object({
          id: apiKeyId(),
          name: z.string(),
          status,
          expiresOn: timestamp('When the key expires.'),
          daysLeft: z.int().min(0).describe('Whole days until the key expires.'),
        })
        .nullable()
        .describe('The key that authenticated this request; null with Basic.'),
    })
    .describe('The caller: a self-test for a key.'),
  Error: z
    .object({
      errorMessage: z.string(),
      stackTrace: z.null(),
      fieldErrors: z
        .array(z.object({ field: z.string(), message: z.string() }))
        .optional()
        .describe('What is wrong, field by field.'),
    })
    .describe('The body of every error.'),
};
export const bodySchemas = {
  NewApiKey: z
    .object({ name, description, expiresOn })
    .describe('The owner is always the caller. Other fields are ignored.'),
  ApiKeyChanges: z
    .object({
      name: name.optional(),
      description,
      expiresOn: expiresOn.optional(),
      version: z
        .int()
        .optional()
        .describe('The version that you read: the edit is refused if the key has changed since.'),
    })
    .describe('What to change: `name`, `description`, `expiresOn`. Other fields are ignored.'),
};

const cursor = z.string().optional().describe('The `nextCursor` of the previous page.');
const limit = z.int().min(1).max(maxPageLimit).optional().describe('Maximum number of entries; 50 by default.');
const skip = z.int().min(0).optional().describe('How many entries to skip; for numbered pages.');
const total = z.boolean().optional().describe('Also count all matching entries.');

export const listQuerySchema = z.object({
  scope: scope
    .optional()
    .describe(
      "`my`: the caller's own keys. `all`: all users' keys, if the caller may manage them. `my` by default, or `all` with a `createdBy`.",
    ),
  createdBy: z.string().max(maxUserIdCharacters).optional().describe('The id of a user: lists only this user’s keys.'),
  status: status.optional(),
  search: z
    .string()
    .max(maxSearchCharacters)
    .optional()
    .describe(
      "Part of the key's name, its description or its creator's name, ignoring case; or the start of a key's id.",
    ),
  sort: z.enum(apiKeySorts).optional().describe('A leading `-` sorts in descending order; `-createdOn` by default.'),
  cursor,
  limit,
  skip,
  total,
});

const moment = (description: string) =>
  z
    .string()
    .optional()
    .meta({ description, examples: ['2026-11-21', '2026-11-21T09:00:00Z'] });

/** What to leave out of the audit trail. */
const auditFilterSchema = z.object({
  scope: scope.optional().describe('By default everything that the caller may see.'),
  apiKeyId: apiKeyId().optional(),
  revisionType: revisionType.optional(),
  origin: origin.optional(),
  author: z.string().max(maxUserIdCharacters).optional().describe('The id or the user name of the author.'),
  from: moment('Changes at this time or later: an ISO 8601 date-time with an offset, or a date (its start in UTC).'),
  to: moment('Changes at this time or earlier; a date means its end in UTC.'),
});

export const auditQuerySchema = z.object({ ...auditFilterSchema.shape, cursor, limit, skip, total });

export const auditExportQuerySchema = z.object({
  ...auditFilterSchema.shape,
  format: z.enum(exportFormats).describe('`csv` for spreadsheets; `ndjson`, one JSON object a line, for programs.'),
});

export const apiKeyIdSchema = apiKeyId();
