import { ConnectorError } from 'concordat';
import { errorResponse } from 'concordat/connector';
import { connectorErrors } from 'concordat/connector/hono';
import { Hono } from 'hono';
import { describe, expect, test } from 'vitest';

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
