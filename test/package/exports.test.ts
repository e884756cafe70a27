import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

/** What each subpath exports at run time. The reports in api/ hold the types: `npm run api`. */
const exported: Record<string, string> = {
  concordat:
    'BadRequestError ConnectorError ForbiddenError NotFoundError RateLimitError UnauthorizedError errorPayloadSchema ' +
    'errorTable formatWait isConnectorError parseErrorPayload parseWait sessionParameterSchema waitFormats',
  'concordat/connector':
    'announceQuota badRequest createConnector definePreset endSystemFetch errorResponse forbidden limitBody logError ' +
    'notFound rateLimited readJson readQuery readResponse serve streamRecords toConnectorError unauthorized',
  'concordat/connector/express': 'connectorErrorHandler connectorNotFound',
  'concordat/connector/fastify': 'connectorFrameworkErrors connectorPlugin',
  'concordat/connector/hono': 'connectorErrors connectorNotFound onConnectorError',
  'concordat/connector/node': 'gracefulClose toNodeHandler',
  'concordat/client': 'InitializeError RequestError createConnectorClient isInitializeError isRequestError memoryState',
  'concordat/api-keys':
    'ApiKeyError RequestLookups apiKeyPattern apiKeyScopes apiKeySorts apiKeyStatuses auditOrigins auditedFields ' +
    'createFailureThrottle editionMessage hasApiKeys hashPassword isApiKeyError isEnabled isPasswordHash ' +
    'maxDescriptionCharacters maxExpiresOn maxPageLimit maxSearchCharacters maxUserIdCharacters openApiKeys revisionTypes rightsOf toActor userManagementWrite verifyPassword',
  'concordat/admin': 'createAdmin englishTexts',
  'concordat/testing': 'AccountingError limitFormats simulateConnector virtualClock waitFlaws',
  'concordat/conformance': 'ConformanceError conformance features formatReport reporters runConformance',
  'concordat/opentelemetry': 'instrument instrumentAll',
  'concordat/redis': 'redisState',
  'concordat/bullmq': 'delayWhenLimited',
};

it('these are all subpaths', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  const subpaths = Object.keys(manifest.exports).filter((subpath) => subpath !== './package.json');
  expect(subpaths.map((subpath) => `concordat${subpath.slice(1)}`)).toEqual(Object.keys(exported));
});

it.each(Object.entries(exported))('%s exports exactly these names, and no default', async (specifier, names) => {
  expect(Object.keys(await import(specifier)).sort()).toEqual(names.split(' '));
});

/** Without `skipLibCheck`, TypeScript refuses an import whose types name a package that is not installed. */
it('only the types of subpaths that are for an optional peer need it', () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  const peers = Object.keys(JSON.parse(read('package.json')).peerDependencies);
  const needed = Object.keys(exported).flatMap((specifier) => {
    const types = read(`api/${specifier.replace('concordat/', '').replaceAll('/', '-')}.api.md`);
    return peers.filter((peer) => types.includes(`from '${peer}'`)).map((peer) => `${specifier}: ${peer}`);
  });
  expect(needed).toEqual([
    'concordat/connector/express: express',
    'concordat/connector/fastify: fastify',
    'concordat/opentelemetry: @opentelemetry/api',
    'concordat/redis: ioredis',
    'concordat/bullmq: bullmq',
  ]);
});
