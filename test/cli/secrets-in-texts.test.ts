// Named secrets in bodies that are recorded as text: JSON is masked by its members, other text only as a whole.
import { describe, expect, it } from 'vitest';
import type { Judgment } from '../../src/cli/record/cleaning.js';
import type { Recorded } from '../../src/cli/record/recorder.js';
import { withoutSecrets } from '../../src/cli/record/without-secrets.js';

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

const judged = (text: string, judgment: Partial<Judgment> = {}, secrets: string[] = []) => {
  const { recording, masked } = withoutSecrets(recorded(text, {}, secrets), { mask: [], keep: [], ...judgment });
  return { text: recording.exchanges[0]?.response.text, masked: [...masked] };
};

const clean = (...args: Parameters<typeof judged>) => judged(...args).text;

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

describe.each<[string, string, string?]>([...jsonTexts, ...others])('a secret in %s', (_name, text, json) => {
  it('is masked, in JSON alone and otherwise with the whole body, and the place and name are reported', () => {
    const { text: masked, masked: places } = judged(text);
    expect(masked).toBe(json ?? '[redacted]');
    expect(places).toEqual([expect.stringMatching(/^GET \/export: response\.text.*password/)]);
    expect(places.join()).not.toContain('hunter2');
  });

  it('can be declared harmless, or be masked with its body', () => {
    expect(judged(text, { keep: ['password'] })).toEqual({ text, masked: [] });
    expect(judged(text, { mask: ['text'] })).toEqual({ text: '[redacted]', masked: [] });
  });
});

it('a body that is sent is masked as well', () => {
  const request = { method: 'POST', path: '/users', text: '{"password":"hunter2"}' };
  const { recording, masked } = withoutSecrets(recorded('', request), { mask: [], keep: [] });
  expect(recording.exchanges[0]?.request.text).toBe('{"password":"[redacted]"}');
  expect([...masked]).toEqual(['POST /users: request.text.password']);
});

it.each([
  [{ json: { token: 471147 } }, { json: '[redacted]' }],
  [{ text: '{"token":471147}' }, { text: '[redacted]' }],
  [{ json: { id: 471147 } }, { json: { id: 471147 } }],
])('a body that is sent has a mark where only a number was masked: %j', (body, masked) => {
  const request = { method: 'POST', path: '/users', ...body };
  const { recording } = withoutSecrets(recorded('', request), { mask: [], keep: [] });
  expect(recording.exchanges[0]?.request).toEqual({ ...request, ...masked });
});

it('a secret in the query of a request is masked, also where the response has it, unless its name is kept', () => {
  const request = { path: '/export?page=2&api_key=hunter2' };
  const judge = (keep: string[]) => {
    const { recording } = withoutSecrets(recorded('from hunter2', request), { mask: [], keep });
    return [recording.exchanges[0]?.request.path, recording.exchanges[0]?.response.text];
  };
  expect(judge([])).toEqual(['/export?page=2&api_key=[redacted]', 'from [redacted]']);
  expect(judge(['api_key'])).toEqual([request.path, 'from hunter2']);
});

it.each([
  ['JSON', '{"a":"SECRET","b":["SECRET"]}', '{"a":"[redacted]","b":["[redacted]"]}'],
  ['JSON, as a number', '{"a":4711471147}', '{"a":0}'],
  ['another text', 'a;SECRET;b', 'a;[redacted];b'],
  ['a path', 'see /avatars/SECRET', 'see [redacted]'],
])('a secret that was sent becomes a mark in %s, also as base64 and hexadecimal', (_name, text, masked) => {
  const secrets = ['hunter2', '4711471147'];
  for (const encoding of ['base64', 'base64url', 'hex'] as const) {
    const encoded = Buffer.from('alice:hunter2').toString(encoding);
    expect(clean(text.replaceAll('SECRET', encoded), {}, secrets)).toBe(masked);
  }
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
  const judge = (keep: string[]) => () => withoutSecrets(changed, { mask: [], keep });
  expect(judge([])).toThrow(/GET \/export: response\.base64 \("password"\)\n.*Do not record.*--keep NAME/);
  expect(judge(['password'])().recording).toEqual(changed.recording);
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
])('what is to be masked is masked with the whole body in %s', (_name, text) => {
  expect(clean(text, { mask: ['home'] })).toBe('[redacted]');
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
  clean(text, { mask: ['password'] }, ['hunter2']);
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
