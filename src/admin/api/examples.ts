import { authenticationFailedMessage } from '../http/errors.js';

const apiKey = {
  id: '4fK0aZ81bQxT',
  name: 'Nightly export',
  description: 'Runs on build-7; ask the release team.',
  status: 'Active',
  createdBy: { id: 'u-17', username: 'alice' },
  createdOn: '2026-11-21T09:00:00.000Z',
  expiresOn: '2027-01-31T18:00:00.000Z',
  lastAccessed: null,
  recentUses: [],
  revokedOn: null,
  refusedUses: 0,
  lastRefusedOn: null,
  version: 1,
};

const error = (errorMessage: string, field?: string) => ({
  errorMessage,
  stackTrace: null,
  ...(field !== undefined && { fieldErrors: [{ field, message: errorMessage }] }),
});

/** Examples for the OpenAPI document. The key's value is a placeholder of equal letters. */
export const apiExamples: {
  readonly bodies: Readonly<Record<string, object>>;
  readonly responses: Readonly<Record<string, object>>;
  readonly errors: Readonly<Record<number, object>>;
} = {
  bodies: {
    NewApiKey: { name: 'Nightly export', expiresOn: '2027-01-31T18:00:00Z' },
    ApiKeyChanges: { expiresOn: '2027-03-31' },
  },
  responses: {
    createApiKey: { ...apiKey, key: `ck_${apiKey.id}_${'x'.repeat(49)}` },
    listApiKeys: { items: [apiKey], nextCursor: null, total: 1 },
    getApiKey: {
      ...apiKey,
      lastAccessed: '2026-11-22T02:00:01.250Z',
      recentUses: [{ address: '192.0.2.7', userAgent: 'curl/8.5.0', lastUsedOn: '2026-11-22T02:00:01.250Z' }],
    },
    updateApiKey: { ...apiKey, expiresOn: '2027-03-31T23:59:59.999Z', version: 2 },
    revokeApiKey: { ...apiKey, status: 'Revoked', revokedOn: '2026-12-01T08:30:00.000Z', version: 3 },
    listAudits: {
      items: [
        {
          id: 42,
          apiKeyId: apiKey.id,
          name: 'Nightly export',
          author: { id: 'u-17', username: 'alice' },
          actingApiKey: null,
          changeTime: '2026-12-01T08:30:00.000Z',
          revisionType: 'Revoke',
          changes: [{ field: 'status', from: 'Active', to: 'Revoked' }],
          origin: 'API',
        },
      ],
      nextCursor: null,
    },
    getMe: {
      user: { id: 'u-17', username: 'alice' },
      rights: { createApiKeys: true, manageAllApiKeys: false },
      edition: 'Professional',
      maxExpiresOn: '2027-11-21T23:59:59.999Z',
      authenticatedBy: 'api-key',
      apiKey: { id: apiKey.id, name: apiKey.name, status: 'Active', expiresOn: apiKey.expiresOn, daysLeft: 71 },
    },
  },
  errors: {
    400: error('Expiry date must be a future datetime.', 'expiresOn'),
    401: error(authenticationFailedMessage),
    403: error('You may see only your own API keys.'),
    404: error('API key not found.'),
    409: error('Only an Active API key can be edited; this one is Revoked.'),
    429: error('Too many failed attempts. Wait before you try again.'),
    500: error('The request failed unexpectedly.'),
  },
};
