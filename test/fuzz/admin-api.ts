import * as fc from 'fast-check';
import { type AdminReader, openAdminApi, type Sent } from './admin-host.js';
import { type ApiRequest, apiRequest } from './admin-requests.js';
import type { FuzzTarget } from './fuzz-target.js';

export const adminApi: FuzzTarget<readonly ApiRequest[], AdminReader> = {
  name: 'admin-api',
  cases: fc.array(apiRequest, { minLength: 1, maxLength: 3 }),
  open: openAdminApi,
  async judge(reader, requests) {
    for (const request of requests) {
      const sent = await reader.send(request);
      const complaint = judgeAnswer(sent, request, reader) ?? (await judgeKeysOfOthers(reader, request));
      if (complaint !== undefined) return `${request.method} ${sent.url} as ${request.as}: ${complaint}`;
    }
    return undefined;
  },
  defects: {
    'answers 500 for half a character': (reader) => ({
      ...reader,
      send: async (request) => {
        const sent = await reader.send(request);
        return request.body?.includes('\\ud800') ? { ...sent, status: 500 } : sent;
      },
    }),
    'takes the owner from the body': (reader) => ({
      ...reader,
      send: async (request) => {
        const sent = await reader.send(request);
        const isTaken = sent.status === 201 && request.body?.includes('"createdBy"');
        return isTaken ? { ...sent, body: { ...sent.body, createdBy: { id: 'u-bob', username: 'bob' } } } : sent;
      },
    }),
    'lets a stranger revoke': (reader) => ({
      ...reader,
      send: async (request) => {
        if (request.path.endsWith('{theirs}/revoke')) await reader.send({ ...request, as: 'root' });
        return reader.send(request);
      },
    }),
    "shows others' keys in a list": (reader) => ({
      ...reader,
      send: (request) =>
        reader.send(request.query.includes('search') ? { ...request, as: 'root', query: 'scope=all' } : request),
    }),
    'tells the cause of an error': (reader) => ({
      ...reader,
      send: async (request) => {
        const sent = await reader.send(request);
        return sent.status === 400 ? { ...sent, body: { ...sent.body, stackTrace: 'Error: at …' } } : sent;
      },
    }),
  },
};

function judgeAnswer(
  { status, contentType, body, text, errors }: Sent,
  request: ApiRequest,
  reader: AdminReader,
): string | undefined {
  if (errors.length > 0) return `the host was told of ${String(errors[0])}`;
  if (status >= 500 || status === 401 || status === 429) return `it was answered ${status} ${text}`;
  if (request.method === 'HEAD' || text === '') return undefined;
  if (!contentType.startsWith('application/json')) return `the answer is ${contentType}`;
  if (status >= 400) return judgeErrorBody(status, body);
  const isCreated = request.method === 'POST' && status === 201;
  if (!isCreated && /ck_[0-9A-Za-z]{12}_/.test(text)) return `the value of a key is shown: ${text}`;
  const items: Item[] = body.items ?? [body];
  const foreign = items.find((item) => !isFor(request, item, reader));
  return foreign && `it shows what the caller may not see: ${JSON.stringify(foreign)}`;
}

interface Item {
  readonly createdBy?: { readonly id: string };
  readonly apiKeyId?: string;
  readonly actingApiKey?: { readonly id?: string } | null;
}

/** Rule K7: keys of one's own and their audits, and no name of a key that one may not see. What was created is one's own (K16). */
function isFor(
  { as, method, path }: ApiRequest,
  { createdBy, apiKeyId, actingApiKey }: Item,
  reader: AdminReader,
): boolean {
  if (as === 'root' && !(method === 'POST' && path === '/api-keys')) return true;
  const owners = [
    createdBy?.id,
    ...[apiKeyId, actingApiKey?.id].map((id) => (id === undefined ? id : reader.ownerOf(id))),
  ];
  return owners.every((owner) => owner === undefined || owner === `u-${as}`);
}
/** Rule K13. */
function judgeErrorBody(status: number, body: Sent['body']): string | undefined {
  const { errorMessage, stackTrace, fieldErrors, ...rest } = body;
  const isRight =
    typeof errorMessage === 'string' &&
    errorMessage.trim() !== '' &&
    errorMessage.length < 2000 &&
    stackTrace === null &&
    Object.keys(rest).length === 0 &&
    (fieldErrors === undefined ||
      (Array.isArray(fieldErrors) && fieldErrors.length > 0 && fieldErrors.every(isFieldError)));
  return isRight ? undefined : `a ${status} has the body ${JSON.stringify(body)?.slice(0, 1000)}`;
}

function isFieldError(entry: Record<string, unknown>): boolean {
  const { field, message, ...rest } = entry;
  return [field, message].every((word) => typeof word === 'string' && word !== '') && Object.keys(rest).length === 0;
}

/** Rules K7 and K16: whoever is not root changes nobody else's key. */
async function judgeKeysOfOthers(reader: AdminReader, request: ApiRequest): Promise<string | undefined> {
  const changed = await reader.changedKeyOfBob();
  return changed === undefined || request.as === 'root' ? undefined : `bob's key has become ${JSON.stringify(changed)}`;
}
