// Named secrets in bodies that are recorded as text: JSON is masked by its members, other text replaced or refused.
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
const texts: [string, string, string | undefined][] = [
  ['JSON', '{"password": "hunter2"}', '{"password":"[redacted]"}'],
  ['JSON in a list, after a byte order mark', '\ufeff[{"password":"hunter2"}]', '\ufeff[{"password":"[redacted]"}]'],
  ['JSON with an escaped name', '{"p\\u0061ssword":"hunter2"}', '{"password":"[redacted]"}'],
  [
    'lines of JSON',
    '{"id": 1.0}\r\n{"a":{"password":["hunter2"]}}\r\n',
    '{"id": 1.0}\r\n{"a":{"password":["[redacted]"]}}\r\n',
  ],
  ['lines of JSON, the last cut off', '{"id":1}\n{"password":"hunter2', undefined],
  ['an event stream', 'data: {"password":"hunter2","a":1}\n', 'data: {"password":"[redacted]","a":1}\n'],
  ['an element', '<a>\n<password>hunter2</password></a>', '<a>\n<password>[redacted]</password></a>'],
  [
    'an element with a prefix and attributes',
    '<w:password Type="x">hunter2</w:password>',
    '<w:password Type="x">[redacted]</w:password>',
  ],
  ['an element with CDATA', '<password><![CDATA[hunter2]]></password>', undefined],
  ['an element with a comment', '<password><!-- it --> hunter2</password>', undefined],
  ['an attribute', "<user x:password = 'hunter2' id='7'/>", "<user x:password = '[redacted]' id='7'/>"],
  ['a property of XML', '<add key="password" value="hunter2"/>', '<add key="password" value="[redacted]"/>'],
  ['an entry of XML', '<entry key="password">hunter2</entry>', '<entry key="password">[redacted]</entry>'],
  ['a field of HTML', '<input name="password" value="hunter2">', '<input name="password" value="[redacted]">'],
  ['a paragraph', '<p>password: hunter2</p>', '<p>password: [redacted]</p>'],
  ['an INI file', 'user = a\npassword = hunter2 and 3\n', 'user = a\npassword = [redacted]\n'],
  ['YAML', 'db:\n  password: hunter2\n  port: 5', 'db:\n  password: [redacted]\n  port: 5'],
  ['YAML with its value in the next line', 'password:\n  hunter2', undefined],
  ['YAML with a list', 'password:\n- hunter2', undefined],
  ['YAML with a block', 'password: |\n  hunter2', undefined],
  ['YAML with a value of two lines', 'password: a\n  hunter2', undefined],
  ['a form', 'a=1&password=hunter2&b=2', 'a=1&password=[redacted]&b=2'],
  ['a form with brackets', 'user[password]=hunter2&b=2', 'user[password]=[redacted]&b=2'],
  ['PHP', "'password' => 'hunter2', 'a' => 1", "'password' => '[redacted]', 'a' => 1"],
  ['quotes in quotes', 'password: "a""hunter2", b: 1', 'password: "[redacted]", b: 1'],
  ['text after quotes', 'password="a"hunter2', undefined],
  ['JSON in JSON', '"{\\"password\\":\\"hunter2\\"}"', undefined],
  ['JSON in HTML', '<a x="{&quot;password&quot;:&quot;hunter2&quot;}"/>', '<a x="{&quot;password&quot;:[redacted]'],
  ['several in a line', 'password: a password: "hunter2 b\nhunter2"', 'password: [redacted]"'],
  ['CSV', 'user,password\nada,\neve,hunter2\n', undefined],
];

describe.each(texts)('a secret in %s', (_name, text, masked) => {
  it('is not written, and the error names the request and the name', () => {
    const why =
      /^Nothing was written: .* at exchanges\[0\]\.response\.text\S* \("[^"]*password[^"]*"(?:, "password")? of GET \/export\)/;
    expect(() => clean(text)).toThrow(why);
    expect(() => clean(text)).toThrow(/--mask NAME.*--mask text.*--keep NAME/);
    expect(() => clean(text)).not.toThrow('hunter2');
  });

  it('is masked, or still not written', () => {
    if (masked === undefined) expect(() => clean(text, { mask: ['password'] })).toThrow('Nothing was written');
    else expect(clean(text, { mask: ['password'] })).toBe(masked);
  });

  it('can be declared harmless, or be masked with its body', () => {
    expect(clean(text, { keep: ['password', 'user[password]'] })).toBe(text);
    expect(clean(text, { mask: ['text'] })).toBe('[redacted]');
  });
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
  ['a name without a value', 'password = \nuser = ada'],
  ['an empty value', "password=''; <password></password>"],
  ['a small number, as in JSON', 'tokens: 7\npassword_length="12"\n<tokens>8</tokens>'],
  ['true, false and null, as in JSON', 'has_password: true\ntoken: null\n{"password":false}'],
  ['what is redacted', 'password: [redacted]\ntoken: Bearer [redacted]'],
  ['an object, whose members are judged', '<passwordPolicy><min>8</min></passwordPolicy> passwordPolicy: { min: 8 }'],
  ['nested YAML, whose members are judged', 'passwordPolicy:\n  min: 8'],
  ['a field of HTML without a value', '<input type="password" name="password"> Stay signed in <b>Password:</b>'],
  ['a schema', '<xs:element name="Password" type="xs:string"/>'],
  ['prose', 'Forgot your password? Ask for a token, please.\nIt takes a day.'],
  ['CSV', 'name,size\nada,7'],
])('keeps %s', (_name, text) => {
  expect(clean(text)).toBe(text);
});

it.each([
  ['behind what is redacted', 'password=[redacted]hunter2', []],
  ['joined from parts', 'const password = "hun" + "ter2"', ['password']],
])('a secret %s is not written', (_where, text, mask) => {
  expect(() => clean(text, { mask })).toThrow('("password" of GET /export)');
});

it.each([
  ['an element', '<home><zip>12345</zip></home>'],
  ['an object', 'home: {\n zip: 12345 }'],
  ['nested YAML', 'home:\n  zip: 12345'],
  ['CSV', 'id,home\n7,12345'],
])('what cannot be masked is not written: %s', (_name, text) => {
  expect(clean(text)).toBe(text);
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
