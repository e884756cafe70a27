import { type Administration, password, spoiled } from './administration.js';

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();
const basic = (name: string) => ({ authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}` });

/**
 * Calls every operation of the Admin API through a proxy that answers 4xx or 5xx of its own where a request or a response
 * is not as the OpenAPI document says.
 *
 * @returns what was done
 * @throws Error naming every call with another status than it should have
 */
export async function drive(proxyUrl: string, { key }: Administration): Promise<string> {
  const problems: string[] = [];
  let calls = 0;
  const call = async (status: number, who: Record<string, string>, method: string, path: string, body?: object) => {
    const headers = { ...who, ...(body && { 'content-type': 'application/json' }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(proxyUrl + path, init);
    const text = await response.text();
    calls++;
    if (response.status !== status) {
      problems.push(`${method} ${path}: ${response.status} instead of ${status}: ${text}`);
    }
    return response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined;
  };

  const [ada, sam] = [basic('ada'), basic('sam')];
  const [byKey, byAuthorization] = [{ 'x-api-key': key }, { authorization: `ApiKey ${key}` }];
  for (const who of [ada, sam, byKey, byAuthorization]) await call(200, who, 'GET', '/me');
  await call(401, { 'x-api-key': 'ck_wrong' }, 'GET', '/me');

  const entered = { name: 'Nightly export', description: 'Runs on build-7.', expiresOn: inDays(30) };
  const { id } = await call(201, byKey, 'POST', '/api-keys', entered);
  await call(400, sam, 'POST', '/api-keys', entered);
  await call(400, sam, 'POST', '/api-keys', { name: 'Too long', expiresOn: inDays(400) });
  await call(200, byKey, 'GET', `/api-keys/${id}`);
  await call(404, byKey, 'GET', '/api-keys/AAAAAAAAAAAA');
  await call(200, byKey, 'PATCH', `/api-keys/${id}`, { name: 'Hourly export', version: 1 });
  await call(409, byKey, 'PATCH', `/api-keys/${id}`, { name: 'Daily export', version: 1 });
  await call(200, byKey, 'POST', `/api-keys/${id}/revoke`);
  await call(409, byKey, 'POST', `/api-keys/${id}/revoke`);
  await call(409, byKey, 'PATCH', `/api-keys/${id}`, { name: 'Daily export' });

  const lists = ['', '?scope=my&status=Active', '?search=export&sort=-lastAccessed', '?limit=1&total=true', '?skip=1'];
  for (const query of lists) await call(200, byKey, 'GET', `/api-keys${query}`);
  await call(200, ada, 'GET', '/api-keys?scope=all&status=Revoked');
  await call(403, byKey, 'GET', '/api-keys?scope=all');
  const { nextCursor } = await call(200, ada, 'GET', '/api-keys?scope=all&limit=1');
  await call(200, ada, 'GET', `/api-keys?scope=all&limit=1&cursor=${encodeURIComponent(nextCursor)}`);

  for (const query of ['', `?apiKeyId=${id}`, '?revisionType=Revoke&origin=API&author=sam&total=true']) {
    await call(200, byKey, 'GET', `/audits${query}`);
  }
  await call(200, ada, 'GET', `/audits?scope=all&from=${inDays(-1)}&to=${inDays(1)}`);
  await call(400, byKey, 'GET', '/audits?cursor=none');
  for (const format of ['csv', 'ndjson']) await call(200, byKey, 'GET', `/audits/export?format=${format}`);
  await call(403, byKey, 'GET', '/audits/export?format=csv&scope=all');

  // That the proxy looks: an answer and two requests that are not as the document says.
  const good = calls;
  await call(500, { ...byKey, [spoiled]: '1' }, 'GET', '/me');
  await call(422, byKey, 'GET', '/api-keys?limit=none');
  await call(422, byKey, 'POST', '/api-keys', { name: 7 });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return `${good} calls, nothing undocumented; 3 bad ones refused`;
}
