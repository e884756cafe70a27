import { toSessionParameters } from '../../contract/index.js';
import { credentialHeaders, headerParts, isObject, isSecret } from '../../internal/index.js';

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
 * The secrets in a request of Express or Fastify: those of its headers, and of initialize's parameters, if the body is such a
 * list. An object may be the body of any request, so only names count: a title is long, too.
 */
export function incomingSecrets(
  request: { headers: Readonly<Record<string, string | string[] | undefined>>; body?: unknown },
  names: readonly string[],
): string[] {
  const { headers, body } = request;
  const inBody = Array.isArray(body)
    ? parameterSecrets(body)
    : secretValues(body, ({ key }) => isSecret({ key, value: '' }));
  return [...headerSecrets((name) => headers[name.toLowerCase()], names), ...inBody];
}

/** The secrets of an initialize request: parameters marked `sensitive`; in a plain object, values whose names look secret. */
export function parameterSecrets(body: unknown): string[] {
  const parameters = Array.isArray(body) ? toSessionParameters(body) : undefined;
  if (parameters) return parameters.filter((parameter) => parameter.sensitive).map((parameter) => parameter.value);
  if (Array.isArray(body)) return body.map((entry) => entry?.value).filter((value) => typeof value === 'string');
  return secretValues(body, isSecret);
}

interface Entry {
  key: string;
  value: string;
}

/** The texts in a plain object that are secret. */
function secretValues(body: unknown, isSecretEntry: (entry: Entry) => boolean): string[] {
  if (!isObject(body)) return [];
  const entries = Object.entries(body).map(([key, value]) => ({ key, value }));
  const texts = entries.filter((entry): entry is Entry => typeof entry.value === 'string');
  return texts.filter(isSecretEntry).map(({ value }) => value);
}
