import * as apiKeys from 'concordat/api-keys';
import { expect, it } from 'vitest';

it('concordat/api-keys exports these names', () => {
  expect(Object.keys(apiKeys).sort()).toEqual([
    'ApiKeyError',
    'RequestLookups',
    'apiKeyPattern',
    'apiKeyScopes',
    'apiKeySorts',
    'apiKeyStatuses',
    'auditOrigins',
    'auditedFields',
    'createFailureThrottle',
    'editionMessage',
    'hasApiKeys',
    'hashPassword',
    'isApiKeyError',
    'isEnabled',
    'isPasswordHash',
    'maxDescriptionCharacters',
    'maxExpiresOn',
    'maxPageLimit',
    'maxSearchCharacters',
    'maxUserIdCharacters',
    'openApiKeys',
    'revisionTypes',
    'rightsOf',
    'toActor',
    'userManagementWrite',
    'verifyPassword',
  ]);
});

it('isApiKeyError tells these errors from others, and their kinds apart', () => {
  const error = new apiKeys.ApiKeyError('not-found', 'There is no such key.');
  expect(apiKeys.isApiKeyError(error)).toBe(true);
  expect(apiKeys.isApiKeyError(error, 'not-found')).toBe(true);
  expect(apiKeys.isApiKeyError(error, 'conflict')).toBe(false);
  expect(apiKeys.isApiKeyError(new Error('not-found'))).toBe(false);
  expect(apiKeys.isApiKeyError(undefined)).toBe(false);
});
