import type { DirectoryUser } from 'concordat/api-keys';
import type { FirstUser, FirstUsername } from './first-users.js';
import type { AdministrationOptions } from './options.js';

interface Facts {
  url: string;
  options: AdministrationOptions;
  /** The users made by this start. */
  firstUsers: readonly FirstUser[];
  users: readonly DirectoryUser[];
}

const dayMs = 86_400_000;

/** What somebody needs to know to begin. The only place where a password is shown, and only if it was made just now. */
export function announce({ url, options, firstUsers, users }: Facts): string[] {
  const { edition, databaseUrl, dataDirectory } = options;
  return [
    '',
    `Administration: ${url}/`,
    `Syncs:          ${url}/syncs`,
    `Admin API:      ${url}/api/v1 (OpenAPI: ${url}/api/v1/openapi.json)`,
    `MCP endpoint:   ${url}/mcp`,
    `Edition:        ${edition}${edition === 'Standard' ? ', which has no API keys' : ''}`,
    `Data:           ${dataDirectory}${databaseUrl === undefined ? '' : '; API keys in PostgreSQL'}`,
    '',
    ...(firstUsers.length > 0 ? introduce(firstUsers) : recall(users)),
    '',
    ...tryIt(`${url}/api/v1/api-keys`, firstUsers.length > 0),
    '',
  ];
}

function introduce(firstUsers: readonly FirstUser[]): string[] {
  const isShown = firstUsers.some(({ password }) => password !== undefined);
  return [
    isShown ? 'Sign in as one of these. The passwords are shown this once:' : 'Sign in as one of these:',
    ...firstUsers.map(({ username, superAdmin, permissions, password }) => {
      const shown = password ?? `(from ${variables[username]})`;
      const rights = superAdmin ? 'Super Admin' : permissions.join(', ') || 'regular user';
      return `  ${username.padEnd(6)} ${shown.padEnd(33)} ${rights}`;
    }),
  ];
}

function recall(users: readonly DirectoryUser[]): string[] {
  const names = users.map(({ username }) => username).join(' or ');
  return [
    `Sign in as ${names}, with the password of the first start. Lost it? CONCORDAT_ADMIN_PASSWORD=… npm start sets a new one.`,
  ];
}

function tryIt(apiKeys: string, isFirst: boolean): string[] {
  if (!isFirst) return ['List API keys (curl asks for the password):', `  curl -u admin '${apiKeys}?scope=all'`];
  const expiresOn = new Date(Date.now() + 90 * dayMs).toISOString().slice(0, 10);
  const body = JSON.stringify({ name: 'My first key', expiresOn });
  return [
    'Make an API key (curl asks for the password):',
    `  curl -u admin -H 'content-type: application/json' -d '${body}' ${apiKeys}`,
  ];
}

const variables: Readonly<Record<FirstUsername, string>> = {
  admin: 'CONCORDAT_ADMIN_PASSWORD',
  uma: 'CONCORDAT_MANAGER_PASSWORD',
  sam: 'CONCORDAT_USER_PASSWORD',
};
