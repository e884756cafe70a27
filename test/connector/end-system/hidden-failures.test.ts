import type { ServerResponse } from 'node:http';
import { ConnectorError, isConnectorError } from 'concordat';
import { definePreset, endSystemFetch } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem } from '../support/end-system.js';

const json = { 'content-type': 'application/json' };
const failed = { ok: false, error: 'channel_not_found' };

/** An end system that answers 200 and then whatever is written. */
const streaming = (headers: Record<string, string>, write: (response: ServerResponse) => void) =>
  endSystem((_request, response) => {
    response.writeHead(200, headers);
    write(response);
  });

describe('failures that hide in a success', () => {
  const slack = endSystemFetch({ preset: 'slack' });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/graphql-response+json',
    'application/vnd.api+json',
    'text/json',
  ])('are found in %s', async (type) => {
    const url = await streaming({ 'content-type': type }, (response) => response.end(JSON.stringify(failed)));
    await expect(slack(url)).rejects.toMatchObject({ kind: 'not-found', code: 'channel_not_found' });
  });

  test.each(['text/html', 'application/octet-stream', 'application/x-ndjson', 'application/stream+json', 'text/plain'])(
    'are not looked for in %s',
    async (type) => {
      const url = await streaming({ 'content-type': type }, (response) => response.end(JSON.stringify(failed)));
      expect(await (await slack(url)).json()).toEqual(failed);
    },
  );

  test('are found in a body that comes in pieces', async () => {
    const url = await streaming(json, (response) => {
      response.write('{"ok":false,');
      setTimeout(() => response.end('"error":"token_expired"}'), 5);
    });
    await expect(slack(url)).rejects.toMatchObject({ kind: 'unauthorized', code: 'token_expired' });
  });

  test('are not looked for by a preset that names no success status', async () => {
    const url = await streaming(json, (response) => response.end(JSON.stringify(failed)));
    expect(await (await endSystemFetch({ preset: 'jira-cloud' })(url)).json()).toEqual(failed);
  });

  test('`translate` is asked first about them too', async () => {
    const url = await endSystem({ status: 200, body: failed });
    const ours = endSystemFetch({
      preset: 'slack',
      translate: ({ json }) =>
        (json as typeof failed).error === 'channel_not_found' ? new ConnectorError('Ours', { status: 409 }) : undefined,
    });
    await expect(ours(url)).rejects.toMatchObject({ status: 409 });
    const other = await endSystem({ status: 200, body: { ok: false, error: 'no_text' } });
    await expect(ours(other)).rejects.toMatchObject({ kind: 'bad-request', code: 'no_text' });
    // It is not asked about what the preset finds nothing wrong with.
    const fine = await endSystem({ status: 200, body: { ok: true, error: 'channel_not_found' } });
    expect((await ours(fine)).status).toBe(200);
  });
});

describe('a success', () => {
  const slack = endSystemFetch({ preset: 'slack' });

  test('is the very response, unread', async () => {
    const original = Response.json({ ok: true, items: [1] });
    const response = await endSystemFetch({ preset: 'slack', fetch: async () => original })('http://end.system/');
    expect(response).toBe(original);
    expect(response.bodyUsed).toBe(false);
    expect(await response.json()).toEqual({ ok: true, items: [1] });
  });

  test('of a megabyte and more is one whatever it says, and arrives whole', async () => {
    const body = JSON.stringify({ ...failed, rest: 'x'.repeat(2 * 1024 * 1024) });
    const announced = await streaming({ ...json, 'content-length': String(body.length) }, (response) =>
      response.end(body),
    );
    expect(await (await slack(announced)).text()).toBe(body);
    const chunked = await streaming(json, (response) => response.end(body));
    expect(await (await slack(chunked)).text()).toBe(body);
    // Control: a little under it, the failure is found.
    const smaller = await streaming(json, (response) =>
      response.end(`${JSON.stringify(failed)}${' '.repeat(1_000_000)}`),
    );
    await expect(slack(smaller)).rejects.toMatchObject({ kind: 'not-found' });
  });

  test('that announces more than a megabyte is handed on at once', async () => {
    const length = String(1024 * 1024 + 1);
    const url = await streaming({ ...json, 'content-length': length }, (response) => response.write('{"ok":'));
    await (await slack(url)).body?.cancel();
  });

  test('that never ends is handed on once a megabyte has come', async () => {
    const url = await streaming(json, (response) => {
      const more = () => {
        while (!response.destroyed && response.write('[0,'.repeat(10_000)));
      };
      response.on('drain', more);
      more();
    });
    const response = await slack(url);
    const reader = response.body?.getReader();
    const first = await reader?.read();
    expect(new TextDecoder().decode(first?.value)).toMatch(/^\[0,\[0,/);
    await reader?.cancel();
  });

  test('that is a stream without conditions on its body is handed on at once', async () => {
    const url = await streaming({ 'content-type': 'text/event-stream' }, (response) => response.write('data: 1\n\n'));
    const response = await slack(url);
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe('data: 1\n\n');
    await reader?.cancel();
  });

  test('whose headers rule a failure out is handed on before its body has come', async () => {
    const github = endSystemFetch({ preset: 'github' });
    const url = await streaming(json, (response) => response.write('{"items":['));
    const response = await github(url, { signal: AbortSignal.timeout(30_000) });
    await response.body?.cancel();
    // Control: with an empty quota the body decides, and this one never ends.
    const last = await streaming({ ...json, 'x-ratelimit-remaining': '0' }, (answer) => answer.write('{"items":['));
    await expect(github(last, { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ status: 504 });
  });

  test('that breaks off breaks off for the caller', async () => {
    const url = await streaming({ ...json, 'content-length': '1000' }, (response) => {
      response.write('{"ok":false,');
      setTimeout(() => response.destroy(), 5);
    });
    const response = await slack(url);
    await expect(response.json()).rejects.toThrow();
  });

  test('an abort while it is looked into reaches the caller', async () => {
    const controller = new AbortController();
    const url = await streaming(json, (response) => {
      response.write('{"ok":');
      setTimeout(() => controller.abort(), 5);
    });
    const outcome = slack(url, { signal: controller.signal }).then((response) => response.json());
    await expect(outcome).rejects.toHaveProperty('name', 'AbortError');
  });
});

describe('a SOAP fault in a success', () => {
  const xml = { 'content-type': 'text/xml' };
  const envelope = (inside: string) => `<e:Envelope xmlns:e="urn:e"><e:Body>${inside}</e:Body></e:Envelope>`;
  const fault = envelope(`<e:Fault><faultcode>a:Over</faultcode><faultstring>Log in</faultstring></e:Fault>`);
  const preset = definePreset({
    name: 'acme',
    extends: 'soap',
    rules: [{ when: { status: [200], body: { path: 'fault.code', matches: 'Over' } }, is: 'unauthorized' }],
  });
  const acme = endSystemFetch({ preset });
  const data = 'QUJD'.repeat(500_000);

  test.each(['text/xml', 'application/soap+xml; charset=utf-8', 'application/xml'])('is found in %s', async (type) => {
    const url = await streaming({ 'content-type': type }, (response) => response.end(fault));
    await expect(acme(url)).rejects.toMatchObject({ kind: 'unauthorized', code: 'Over', message: 'Log in' });
  });

  test.each(['text/html', 'text/plain', 'application/json'])('is not looked for in %s', async (type) => {
    const url = await streaming({ 'content-type': type }, (response) => response.end(fault));
    expect(await (await acme(url)).text()).toBe(fault);
  });

  test('is found in a body that comes in pieces, behind a long header', async () => {
    const body = fault.replace('<e:Body>', `<e:Header><sig>${'x'.repeat(100_000)}</sig></e:Header><e:Body>`);
    const url = await streaming(xml, (response) => {
      response.write(body.slice(0, -60));
      setTimeout(() => response.end(body.slice(-60)), 5);
    });
    await expect(acme(url)).rejects.toMatchObject({ kind: 'unauthorized', message: 'Log in' });
  });

  test('is not looked for beyond a megabyte', async () => {
    const body = fault.replace('<e:Body>', `<e:Header>${data}</e:Header><e:Body>`);
    const url = await streaming(xml, (response) => response.end(body));
    expect(await (await acme(url)).text()).toBe(body);
  });

  test('is ruled out by the first element of the body: the rest need not have come', async () => {
    const start = '<e:Envelope xmlns:e="urn:e"><e:Body><m:Export>';
    let end = () => {};
    const url = await streaming(xml, (response) => {
      response.write(start);
      end = () => response.end(`${data}</m:Export></e:Body></e:Envelope>`);
    });
    const response = await acme(url);
    end();
    expect(await response.text()).toBe(`${start}${data}</m:Export></e:Body></e:Envelope>`);
  });

  test('is shown whole to `translate`, like a listed success', async () => {
    const translate = ({ text }: { text: string }) => new ConnectorError(text, { status: 409 });
    const url = await streaming(xml, (response) => response.end(fault));
    await expect(endSystemFetch({ preset, translate })(url)).rejects.toMatchObject({ status: 409, message: fault });
    const listed = endSystemFetch({ preset, translate, translateStatuses: [200] });
    const success = envelope(`<m:Export>${'x'.repeat(100_000)}</m:Export>`);
    const other = await streaming(xml, (response) => response.end(success));
    await expect(listed(other)).rejects.toHaveProperty('message', success);
  });
});

describe('a rule on the head alone', () => {
  const preset = definePreset({
    name: 'x',
    rules: [{ when: { status: [203], headers: { 'content-type': /html/ } }, is: 'unauthorized' }],
  });
  const call = endSystemFetch({ preset });

  test('needs no JSON', async () => {
    const page = await endSystem({ status: 203, headers: { 'content-type': 'text/html' }, body: '<html></html>' });
    const error = await call(page).catch((thrown: unknown) => thrown);
    expect(isConnectorError(error, 'unauthorized')).toBe(true);
    const data = await endSystem({ status: 203, body: { value: [] } });
    expect(await (await call(data)).json()).toEqual({ value: [] });
  });

  test('needs none beside a rule on the body either', async () => {
    const onBody = { when: { status: [203], body: { path: 'error', matches: true } }, is: 'not-found' } as const;
    const both = endSystemFetch({ preset: definePreset({ name: 'y', extends: preset, rules: [onBody] }) });
    const page = await endSystem({ status: 203, headers: { 'content-type': 'text/html' }, body: '<html></html>' });
    await expect(both(page)).rejects.toMatchObject({ kind: 'unauthorized' });
    await expect(both(await endSystem({ status: 203, body: { error: 1 } }))).rejects.toMatchObject({
      kind: 'not-found',
    });
  });

  test('reads no more of the body than of any failure, and lets the connection go (G8)', async () => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const url = await endSystem((_request, response) => {
      response.writeHead(203, { 'content-type': 'text/html' });
      const more = () => {
        while (!response.destroyed && response.write(`${'x'.repeat(16_383)}\n`));
      };
      response.on('drain', more).on('close', closed);
      more();
    });
    const error = await call(url).catch((thrown: unknown) => thrown);
    expect((error as ConnectorError).detail).toHaveLength(65_536);
    await isClosed;
  });
});

test('a signal that times out while a success is looked into: 504', async () => {
  const url = await streaming(json, (response) => response.write('{"ok":'));
  const call = endSystemFetch({ preset: 'slack' })(url, { signal: AbortSignal.timeout(20) });
  await expect(call).rejects.toMatchObject({ status: 504, code: 'END_SYSTEM_TIMEOUT' });
});
