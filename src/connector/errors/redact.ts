import { toSessionParameters } from '../../contract/index.js';
import { credentialHeaders, headerParts, isObject, isSecret, mostSecrets } from '../../internal/index.js';

/**
 * The secrets in a request's headers: credentials, and the session in the headers `names`.
 */
export function headerSecrets(
  read: (name: string) => string | string[] | null | undefined,
  names: readonly string[],
): string[] {
  const secrets: string[] = [];
  for (const name of [...credentialHeaders, ...names]) {
    const values = read(name);
    if (values === undefined || values === null) continue;
    for (const value of Array.isArray(values) ? values : [values]) secrets.push(...headerParts(name, value));
  }
  return secrets;
}

/**
 * The secrets in a request of Express or Fastify: those of its headers, and of its body, which may be initialize's parameters.
 * As it may be the body of any other request, too, only marks and names count: a title is long, too.
 */
export function incomingSecrets(
  request: { headers: Readonly<Record<string, string | string[] | undefined>>; body?: unknown },
  names: readonly string[],
): string[] {
  const { headers, body } = request;
  const inBody = parameterSecrets(body, (entry) => isSecret({ ...entry, value: '' }));
  return [...headerSecrets((name) => headers[name.toLowerCase()], names), ...inBody];
}

interface Entry {
  key: string;
  value: string;
  sensitive?: unknown;
}

/**
 * The secrets among the parameters of initialize. Read as they were sent: a missing mark is not the same as
 * `sensitive: false`. Of a list that is not one of parameters, every value is secret.
 */
export function parameterSecrets(body: unknown, isSecretEntry: (entry: Entry) => boolean = isSecret): string[] {
  // The bytes of a file would be as many entries.
  if (ArrayBuffer.isView(body) || !(Array.isArray(body) || isObject(body))) return [];
  const isRead = !Array.isArray(body) || toSessionParameters(body.slice(0, mostSecrets)) !== undefined;
  const entries = Array.isArray(body) ? body : Object.entries(body).map(([key, value]) => ({ key, value }));
  const secrets: string[] = [];
  for (const entry of entries) {
    if (secrets.length === mostSecrets) break;
    if (typeof entry?.value !== 'string') continue;
    if (!isRead || typeof entry.key !== 'string' || isSecretEntry(entry)) secrets.push(entry.value);
  }
  return secrets;
}
