import type { AuditQuery } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { type AdminHost, basic, inDays, password, startAdmin } from './helpers/admin-host.js';
import { Visitor } from './ui/helpers/visitor.js';

const api = '/api/v1/audits/export';
const csv = (host: AdminHost, query = '', username = 'root') =>
  host.as(username, 'GET', `/audits/export?format=csv${query}`);

/** A reader of RFC 4180 that shares nothing with the writer. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (isQuoted && char === '"' && text[at + 1] === '"') at++;
    else if (char === '"') {
      isQuoted = !isQuoted;
      continue;
    } else if (!isQuoted && char === ',') {
      row.push(cell);
      cell = '';
      continue;
    } else if (!isQuoted && char === '\r' && text[at + 1] === '\n') {
      rows.push([...row, cell]);
      [row, cell] = [[], ''];
      at++;
      continue;
    }
    cell += char;
  }
  expect([row, cell, isQuoted]).toEqual([[], '', false]);
  return rows;
}

async function withHistory() {
  const host = await startAdmin();
  const { id, key } = await host.key('u-alice', 'Export');
  await host.as('alice', 'PATCH', `/api-keys/${id}`, { name: 'Import, "weekly"', expiresOn: inDays(60) });
  await host.as(key, 'POST', `/api-keys/${id}/revoke`);
  await host.key('u-bob', 'Über Größe');
  return { host, id };
}

describe('the export of the audit trail', () => {
  it('as CSV has one row for each entry, newest first, with old and new values in columns', async () => {
    const { host, id } = await withHistory();
    const { status, headers, text } = await csv(host);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': 'attachment; filename="api-key-audits.csv"',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    });
    expect(text.startsWith('\ufeff')).toBe(true);
    const [head, ...rows] = readCsv(text.slice(1));
    const entries = rows.map((row) => Object.fromEntries(row.map((value, index) => [head?.[index], value])));
    expect(entries).toMatchObject([
      { revisionType: 'Create', name: 'Über Größe', authorId: 'u-bob', nameFrom: '', nameTo: 'Über Größe' },
      { revisionType: 'Revoke', statusFrom: 'Active', statusTo: 'Revoked', origin: 'API', actingApiKeyId: id },
      {
        revisionType: 'Update',
        apiKeyId: id,
        authorId: 'u-alice',
        authorUsername: 'alice',
        actingApiKeyId: '',
        changeTime: '2026-11-21T09:00:00.000Z',
        nameFrom: 'Export',
        nameTo: 'Import, "weekly"',
        expiresOnFrom: inDays(30),
        expiresOnTo: inDays(60),
        statusTo: '',
      },
      { revisionType: 'Create', nameFrom: '', nameTo: 'Export', expiresOnTo: inDays(30) },
    ]);
  });

  it('as NDJSON has the entries of the list, one a line', async () => {
    const { host } = await withHistory();
    const { headers, text } = await host.as('root', 'GET', '/audits/export?format=ndjson');
    expect(headers['content-type']).toBe('application/x-ndjson');
    expect(text.endsWith('\n')).toBe(true);
    const { items } = (await host.as('root', 'GET', '/audits')).body;
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(items);
    expect(items).toHaveLength(4);
  });

  it('is filtered like the list, and holds no more than the caller may see (K7)', async () => {
    const { host, id } = await withHistory();
    const types = async (query: string, username?: string) =>
      readCsv((await csv(host, query, username)).text.slice(1))
        .slice(1)
        .map((row) => row[2]);
    expect(await types('&author=alice&origin=API')).toEqual(['Revoke', 'Update', 'Create']);
    expect(await types('&author=alice&origin=UI')).toEqual([]);
    expect(await types(`&apiKeyId=${id}&revisionType=Create`)).toEqual(['Create']);
    expect(await types('&from=2026-11-22')).toEqual([]);
    expect(await types('', 'alice')).toHaveLength(3);
    expect(await types('', 'mallory')).toEqual([]);
    expect((await csv(host, '&scope=all', 'mallory')).status).toBe(403);
    expect((await csv(host, `&apiKeyId=${id}`, 'mallory')).status).toBe(404);
    expect((await host.send({ path: `${api}?format=csv` })).status).toBe(401);
  });

  it.each(['', 'format=', 'format=xlsx', 'format=csv&from=x', 'format=csv&format=csv'])('?%s is 400', async (query) => {
    const host = await startAdmin();
    const answer = await host.as('root', 'GET', `/audits/export?${query}`);
    expect(answer).toMatchObject({ status: 400, body: { stackTrace: null } });
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '＝1', '=HYPERLINK("http://x","y")'])(
    'gives a spreadsheet nothing to calculate: %s',
    async (name) => {
      const host = await startAdmin();
      await host.key('u-alice', name);
      const [, row] = readCsv((await csv(host)).text.slice(1));
      expect(row).toContain(`'${name}`);
      expect(row).not.toContain(name);
    },
  );

  it('gives nothing to calculate to a spreadsheet that separates by semicolons either', async () => {
    const host = await startAdmin();
    await host.key('u-alice', 'a;=1+1; @SUM(A1);b');
    const [, row] = readCsv((await csv(host)).text.slice(1));
    expect(row).toContain("a;'=1+1; '@SUM(A1);b");
  });

  it('is read while it is written: two pages are the most that memory holds', async () => {
    const { host } = await withHistory();
    const { audits } = host.apiKeys;
    let calls = 0;
    // A trail without an end: whoever collects it first never answers.
    host.apiKeys.audits = async (actor, query) => {
      calls++;
      return { ...(await audits(actor, { ...query, cursor: undefined })), nextCursor: 'more' };
    };
    const [name, value] = basic('root') as [string, string];
    const request = new Request(`${host.url}${api}?format=ndjson`, { headers: { [name]: value } });
    const response = await host.admin.fetch(request);
    expect(calls).toBe(1);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    for (let chunk = 1; chunk <= 50; chunk++) {
      expect((await reader.read()).value?.length).toBeGreaterThan(100);
      expect(calls).toBeLessThanOrEqual(chunk + 1);
    }
    await reader.cancel();
    expect(calls).toBeLessThanOrEqual(51);
  });

  it.each<[string, (host: AdminHost) => unknown]>([
    [
      'the caller loses the right to it',
      (host) => host.users.set('u-root', { ...host.users.get('u-root')!, superAdmin: false }),
    ],
    ['the caller is disabled', (host) => host.users.set('u-root', { ...host.users.get('u-root')!, enabled: false })],
  ])('breaks off, and is no whole file, when %s meanwhile (K11)', async (_, change) => {
    const { host } = await withHistory();
    const { audits } = host.apiKeys;
    const queries: AuditQuery[] = [];
    host.apiKeys.audits = async (actor, query = {}) => {
      const page = await audits(actor, { ...query, cursor: undefined });
      if (queries.push(query) === 2) change(host);
      return { ...page, nextCursor: 'more' };
    };
    await expect(host.as('root', 'GET', '/audits/export?format=csv&scope=all')).rejects.toThrow();
    expect(queries.length).toBeLessThanOrEqual(3);
    expect(host.errors).toHaveLength(1);
  });

  it.each<[string, (host: AdminHost, path: string) => Promise<{ status: number }>]>([
    ['API', (host, path) => host.as('helen', 'GET', path.replace('/api-key-audits', '/audits'))],
    [
      'UI',
      async (host, path) => {
        const visitor = new Visitor(host.url);
        await visitor.signIn('helen', password);
        return await visitor.request(path);
      },
    ],
  ])('does not go on with less when the right to all keys is lost (%s, K6)', async (_, read) => {
    const { host } = await withHistory();
    const { audits } = host.apiKeys;
    const pages: number[] = [];
    let change = () => {};
    host.apiKeys.audits = async (actor, query = {}) => {
      const page = await audits(actor, { ...query, limit: 2 });
      pages.push(page.items.length);
      change();
      return page;
    };
    const path = '/api-key-audits/export?format=csv';
    expect((await read(host, path)).status).toBe(200);
    expect(pages.splice(0)).toEqual([2, 2]);
    change = () => host.users.set('u-helen', { ...host.users.get('u-helen')!, permissions: [] });
    await expect(read(host, path)).rejects.toThrow();
    expect(pages).toEqual([2]);
    expect(host.errors).toMatchObject([{ kind: 'validation' }]);
  });
});
