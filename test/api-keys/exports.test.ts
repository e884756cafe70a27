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
    'openApiKeys',
    'revisionTypes',
    'rightsOf',
    'toActor',
    'userManagementWrite',
    'verifyPassword',
  ]);
});
