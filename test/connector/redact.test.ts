import { ConnectorError } from 'concordat';
import { errorResponse } from 'concordat/connector';
import { connectorErrors } from 'concordat/connector/hono';
import { Hono } from 'hono';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { incomingSecrets } from '../../src/connector/errors/redact.js';

async function redacted(text: string, ...secrets: string[]): Promise<string> {
  const response = errorResponse(new ConnectorError(text, { status: 400 }), { redact: secrets });
  return (await response.json()).errors.message;
}

describe('secrets never leave in an error (E5)', () => {
  test.each([
    ['as it is', 'token s3cr3t/+ä refused', 'token [redacted] refused'],
    ['in a URL', 'GET /?t=s3cr3t%2F%2B%C3%A4&x=1', 'GET /?t=[redacted]&x=1'],
    ['in a URL with small letters', 'GET /?t=s3cr3t%2f%2b%c3%a4', 'GET /?t=[redacted]'],
    ['several times', 's3cr3t/+ä,s3cr3t/+ä', '[redacted],[redacted]'],
    ['glued to other text', 'xs3cr3t/+äy', 'x[redacted]y'],
    ['not there (control)', 'token s3cr3t refused', 'token s3cr3t refused'],
  ])('%s', async (_where, text, wanted) => {
    expect(await redacted(text, 's3cr3t/+ä')).toBe(wanted);
  });

  test('as JSON writes it', async () => {
    expect(await redacted('{"p":"pass\\"word\\\\1"}', 'pass"word\\1')).toBe('{"p":"[redacted]"}');
  });

  const secret = `kX3+9fQ2/a"b'c\\d&e<f>g h\u00e4\u{1f511}`;
  const json = (text: string) => JSON.stringify(text).slice(1, -1);
  /** As .NET writes JSON: all that is not a letter or a digit. */
  const dotNet = (text: string) =>
    text.replace(/[^a-z0-9 ]/gi, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0').toUpperCase()}`);
  const php = (text: string) => json(text).replaceAll('/', '\\/');
  const xml = (text: string) =>
    text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] as string);
  const numbers = (text: string) => text.replace(/[^a-z0-9 ]/giu, (sign) => `&#${sign.codePointAt(0)};`);
  const hex = (text: string) => text.replace(/[^a-z0-9 ]/giu, (sign) => `&#x${sign.codePointAt(0)?.toString(16)};`);
  const form = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);

  test.each<[string, (text: string) => string]>([
    ['itself (control)', (text) => text],
    ['JSON', json],
    ['JSON of .NET', dotNet],
    ['JSON of PHP', php],
    ['JSON in JSON', (text) => json(json(text))],
    ['JSON of .NET in JSON in JSON', (text) => json(json(dotNet(text)))],
    ['XML', xml],
    ['XML with numbers', numbers],
    ['XML with numbers in hex', hex],
    ['XML in XML', (text) => xml(xml(text))],
    ['XML in JSON', (text) => json(xml(text))],
    ['JSON in XML', (text) => xml(json(text))],
    ['a URL', encodeURIComponent],
    ['a URL in a URL', (text) => encodeURIComponent(encodeURIComponent(text))],
    ['a form', form],
    ['a URL in XML in JSON', (text) => json(xml(encodeURIComponent(text)))],
  ])('written as %s', async (_as, write) => {
    const text = (value: string) => `{"sent": "${write(value)}", "and": "${write(`x${value}y`)}"} ü&amp;%20\\n`;
    expect(await redacted(text(secret), secret)).toBe(text('=').replaceAll(write('='), '[redacted]'));
  });

  test('as a form writes it', async () => {
    expect(await redacted('p=long+pass+phrase%21', 'long pass phrase!')).toBe('p=[redacted]');
  });

  test('inside Basic credentials', async () => {
    const basic = `Basic ${btoa('alice:hunter22')}`;
    expect(await redacted(`sent ${basic}.`, 'hunter22')).toBe('sent Basic [redacted].');
    expect(await redacted(`sent ${basic}.`, 'another1')).toBe(`sent ${basic}.`);
  });

  test('the longest first, so that no rest is left', async () => {
    expect(await redacted('abcd1234-suffix', 'abcd1234', 'abcd1234-suffix')).toBe('[redacted]');
  });

  test('before the detail is cut, so that the cut leaves no half', async () => {
    const detail = `${'x'.repeat(50)}canary-secret${'y'.repeat(20)}`;
    const error = new ConnectorError('No', { status: 400, detail });
    const response = errorResponse(error, { redact: ['canary-secret'], maxDetailBytes: 68 });
    const body = await response.text();
    expect(body).not.toContain('canary');
    const control = await errorResponse(error, { maxDetailBytes: 68 }).text();
    expect(control).toContain('canary');
  });

  test('a value that is none, as of a session without a token, does no harm', async () => {
    expect(await redacted('No s3cr3t-value', undefined as never, 7 as never, 's3cr3t-value')).toBe('No [redacted]');
  });

  test('short values only where they stand alone, and the shortest not at all', async () => {
    expect(await redacted('The latest test failed', 'test')).toBe('The latest [redacted] failed');
    expect(await redacted('a%20test%20b and \\ntest', 'test')).toBe('a%20[redacted]%20b and \\n[redacted]');
    expect(await redacted('No issue 7 in eu', '7', 'eu', '')).toBe('No issue 7 in eu');
  });

  test('characters that mean something in patterns mean themselves', async () => {
    expect(await redacted('a.b*c(d)[e]{f}|g^h$i+j?k\\l', 'a.b*c(d)[e]{f}|g^h$i+j?k\\l')).toBe('[redacted]');
    expect(await redacted('axbxc and a.b.c.d', 'a.b.c.d')).toBe('axbxc and [redacted]');
  });

  test('an upload is not searched byte by byte for the parameters of a login (E8)', () => {
    const entries = vi.spyOn(Object, 'entries');
    onTestFinished(() => entries.mockRestore());
    const body = Buffer.alloc(1024);
    expect(incomingSecrets({ headers: {}, body }, [])).toEqual([]);
    expect(entries.mock.calls.flat()).not.toContain(body);
  });

  test('of a long list only the first entries decide whether they are parameters (E8)', () => {
    let reads = 0;
    const entry = {
      get key() {
        reads++;
        return 'password';
      },
      value: 'hunter22',
    };
    const secrets = incomingSecrets({ headers: {}, body: Array(10_000).fill(entry) }, []);
    expect(secrets).toEqual(Array(100).fill('hunter22'));
    expect(reads).toBeLessThan(1000);
  });

  test('what is not a parameter of a long list is a secret, and no failure of its own (E8)', () => {
    const body = [
      ...Array(100).fill({ key: 'user', value: 'ada lovelace' }),
      { key: { toString: 1 }, value: 'hunter22' },
    ];
    expect(incomingSecrets({ headers: {}, body }, [])).toEqual(['hunter22']);
  });

  test('in headers too, and a code gives way as a whole', async () => {
    const error = new ConnectorError('No', {
      status: 400,
      code: 'E-canary-secret',
      headers: { 'x-a': 'canary-secret' },
    });
    const response = errorResponse(error, { redact: ['canary-secret'] });
    expect(response.headers.get('x-a')).toBe('[redacted]');
    expect((await response.json()).errors.code).toBe('BAD_REQUEST');
  });
});

test.each(['authorization', 'proxy-authorization', 'cookie', 'x-api-key'])(
  'the credentials of a request in `%s` never leave in an error (E5)',
  async (name) => {
    const app = new Hono().onError(connectorErrors());
    app.get('/', (c) => {
      throw new ConnectorError(`refused: ${c.req.header(name)}`, { status: 400 });
    });
    const response = await app.request('/', { headers: { [name]: 'canary-secret' } });
    expect((await response.json()).errors.message).toBe('refused: [redacted]');
  },
);
