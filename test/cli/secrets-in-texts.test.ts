// Named secrets in bodies that are recorded as text: JSON is masked by its members, other text only as a whole.
import { describe, expect, it } from 'vitest';
import type { Recorded } from '../../src/cli/record/recorder.js';
import { type Judgment, withoutSecrets } from '../../src/cli/record/without-secrets.js';

const recorded = (text: string, request: object = {}, secrets: string[] = []): Recorded => ({
  recording: {
    version: 1,
    recordedAt: '2026-11-22T12:00:00.000Z',
    initialize: null,
    exchanges: [
      { request: { method: 'GET', path: '/export?page=2', ...request }, response: { status: 200, headers: {}, text } },
    ],
  },
  secrets,
});

const clean = (text: string, judgment: Partial<Judgment> = {}, secrets: string[] = []) =>
  withoutSecrets(recorded(text, {}, secrets), { mask: [], keep: [], ...judgment }).exchanges[0]?.response.text;

/** Each with the secret "hunter2" under the name "password". */
const jsonTexts: [string, string, string][] = [
  ['JSON', '{"password": "hunter2"}', '{"password":"[redacted]"}'],
  ['JSON in a list, after a byte order mark', '\ufeff[{"password":"hunter2"}]', '\ufeff[{"password":"[redacted]"}]'],
  ['JSON with an escaped name', '{"p\\u0061ssword":"hunter2"}', '{"password":"[redacted]"}'],
  [
    'lines of JSON',
    '{"id": 1.0}\r\n{"a":{"password":["hunter2"]}}\r\n',
    '{"id": 1.0}\r\n{"a":{"password":["[redacted]"]}}\r\n',
  ],
];

/** None is JSON: nothing says where the secret ends. */
const others: [string, string][] = [
  ['lines of JSON, the last cut off', '{"id":1}\n{"password":"hunter2'],
  ['an event stream', 'data: {"password":"hunter2","a":1}\n'],
  ['an element', '<a>\n<password>hunter2</password></a>'],
  ['an element with a prefix and attributes', '<w:password Type="x">hunter2</w:password>'],
  ['an element with CDATA', '<password><![CDATA[hunter2]]></password>'],
  ['an attribute', "<user x:password = 'hunter2' id='7'/>"],
  ['a property of XML', '<add key="password" value="hunter2"/>'],
  ['an entry of XML', '<entry key="password">hunter2</entry>'],
  ['a field of HTML', '<input name="password" value="hunter2">'],
  ['a paragraph', '<p>password: hunter2</p>'],
  ['an INI file', 'user = a\npassword = hunter2 and 3\n'],
  ['YAML', 'db:\n  password: hunter2\n  port: 5'],
  ['YAML with its value in the next line', 'password:\n  hunter2'],
  ['a form', 'a=1&password=hunter2&b=2'],
  ['a form with brackets', 'user[password]=hunter2&b=2'],
  ['PHP', "'password' => 'hunter2', 'a' => 1"],
  ['JSON in JSON', '"{\\"password\\":\\"hunter2\\"}"'],
  ['JSON in HTML', '<a x="{&quot;password&quot;:&quot;hunter2&quot;}"/>'],
  ['CSV', 'user,password\nada,\neve,hunter2\n'],
];

describe.each<[string, string, string?]>([...jsonTexts, ...others])('a secret in %s', (_name, text) => {
  it('is not written, and the error names the request and the name', () => {
    const why =
      /^Nothing was written: .* at exchanges\[0\]\.response\.text\S* \("[^"]*password[^"]*"(?:, "password")? of GET \/export\)/;
    expect(() => clean(text)).toThrow(why);
    expect(() => clean(text)).toThrow(/--mask NAME.*--mask text.*--keep NAME/);
    expect(() => clean(text)).not.toThrow('hunter2');
  });

  it('can be declared harmless, or be masked with its body', () => {
    expect(clean(text, { keep: ['password', 'user[password]'] })).toBe(text);
    expect(clean(text, { mask: ['text'] })).toBe('[redacted]');
  });
});

it.each(jsonTexts)('a secret in %s is masked', (_name, text, masked) => {
  expect(clean(text, { mask: ['password'] })).toBe(masked);
});

it.each(others)('a secret in %s is masked only with the whole body', (_name, text) => {
  expect(() => clean(text, { mask: ['password'] })).toThrow('Nothing was written');
});

it('a body that is sent is judged as well', () => {
  const request = { method: 'POST', path: '/users', text: '{"password":"hunter2"}' };
  expect(() => withoutSecrets(recorded('', request), { mask: [], keep: [] })).toThrow(
    'exchanges[0].request.text.password ("password" of POST /users)',
  );
  const { exchanges } = withoutSecrets(recorded('', request), { mask: ['password'], keep: [] });
  expect(exchanges[0]?.request.text).toBe('{"password":"[redacted]"}');
});

it.each([
  ['ISO 8859-1', Buffer.from('<a>Gr\xfc\xdfe</a><password>hunter2</password>', 'latin1')],
  ['UTF-16', Buffer.from('\ufeffGrüße\npassword = hunter2', 'utf16le')],
])('a secret in a text of %s, which is kept as base64, is not written', (_name, bytes) => {
  const { recording, secrets } = recorded('');
  const base64 = bytes.toString('base64');
  const exchanges = recording.exchanges.map(({ request }) => ({
    request,
    response: { status: 200, headers: {}, base64 },
  }));
  const changed = { recording: { ...recording, exchanges }, secrets };
  expect(() => withoutSecrets(changed, { mask: [], keep: [] })).toThrow('response.base64 ("password" of GET /export)');
  expect(withoutSecrets(changed, { mask: [], keep: ['password'] })).toEqual(changed.recording);
});

it.each([
  ['JSON without secrets, as it is written', '{ "a": 1.0,\n "b": [] }\n'],
  ['prose', 'A form\nForgot your password? Ask for a token, please.\nIt takes a day.'],
  ['CSV', 'name,size\nada,7'],
  ['XML', '<home><zip>12345</zip></home>'],
])('keeps %s', (_name, text) => {
  expect(clean(text)).toBe(text);
});

it.each([
  ['an element', '<home><zip>12345</zip></home>'],
  ['YAML', 'home:\n  zip: 12345'],
  ['CSV', 'id,home\n7,12345'],
])('what is to be masked and cannot be is not written: %s', (_name, text) => {
  expect(() => clean(text, { mask: ['home'] })).toThrow('("home" of GET /export)');
});

it.each([
  ['password=', '&'],
  ['password="', '"'],
  ["password='x\\", ''],
  ['<password ', '<'],
  ['\n', ''],
  ['{}\n\n\n', ''],
  ['<password>', '\n'],
  ['password: \n ', ''],
  ['token,', '\n'],
  ['&password', '='],
])('takes time that grows with the text, and no faster: %s', (part, end) => {
  const text = part.repeat(Math.ceil(200_000 / part.length)) + end;
  const startedAt = performance.now();
  try {
    clean(text, { mask: ['password'] });
  } catch (error) {
    expect((error as Error).message).toContain('Nothing was written');
  }
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
