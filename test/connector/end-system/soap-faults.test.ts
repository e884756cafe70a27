import { isConnectorError } from 'concordat';
import { definePreset, endSystemFetch, type Preset } from 'concordat/connector';
import { describe, expect, test } from 'vitest';
import { endSystem } from '../support/end-system.js';

async function failureOf(body: string, preset: Preset | 'soap' = 'soap') {
  const url = await endSystem({ status: 500, headers: { 'content-type': 'text/xml; charset=utf-8' }, body });
  const error = await endSystemFetch({ preset })(url, { method: 'POST', body: '<Envelope/>' }).catch(
    (thrown) => thrown,
  );
  if (!isConnectorError(error)) throw error;
  return error;
}

const envelope = (inside: string) => `<s:Envelope xmlns:s="urn:s"><s:Body>${inside}</s:Body></s:Envelope>`;
const bare = '<Fault><faultcode>Client</faultcode><faultstring>Broken pump</faultstring></Fault>';
const fault = (string: string, rest = '') =>
  envelope(`<s:Fault><faultcode>s:Client</faultcode><faultstring>${string}</faultstring>${rest}</s:Fault>`);

describe('a SOAP fault', () => {
  test('is told by its string; the detail has no XML in it', async () => {
    const detail = `<detail>
      <e:Problem xmlns:e="urn:e" kind="a > b"><!-- <faultstring>no</faultstring> --><e:Field>title</e:Field><e:Rule>not
        empty</e:Rule><e:Empty/></e:Problem>
    </detail>`;
    expect(await failureOf(`<?xml version="1.0"?>\n${fault('The title\n  is empty', detail)}`)).toMatchObject({
      kind: 'bad-request',
      code: 'Client',
      message: 'The title is empty',
      detail: 'Client: The title is empty\ntitle not empty',
    });
  });

  test('of SOAP 1.2 has the innermost code, and the first of its reasons', async () => {
    const body = envelope(`<s:Fault>
      <s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value>a:Outer</s:Value>
        <s:Subcode><s:Value>b:Inner</s:Value></s:Subcode></s:Subcode></s:Code>
      <s:Reason><s:Text xml:lang='en'>Broken</s:Text><s:Text xml:lang='de'>Kaputt</s:Text></s:Reason>
      <s:Role>urn:role</s:Role><s:Detail><Value>17</Value></s:Detail>
    </s:Fault>`);
    expect(await failureOf(body)).toMatchObject({
      kind: 'other',
      status: 502,
      code: 'Inner',
      message: 'Broken',
      detail: 'Receiver: Inner: Broken\n17',
    });
  });

  test.each([
    ['Client.SessionExpired', 'unauthorized'],
    ['Client.Authentication', 'unauthorized'],
    ['Server.Service.Throttled', 'rate-limit'],
    ['Client.AccessDenied', 'forbidden'],
    ['Client.NotFound', 'not-found'],
    ['Client.SessionExpired.Not', 'bad-request'],
    ['Client.XSessionExpired', 'bad-request'],
  ])('of SOAP 1.1 may refine its code with dots: %s', async (code, kind) => {
    const body = envelope(`<s:Fault><faultcode>s:${code}</faultcode><faultstring>m</faultstring></s:Fault>`);
    expect(await failureOf(body)).toMatchObject({ kind });
  });

  test.each([
    [
      'XML’s own entities and no others',
      'a &lt; b &amp;&amp; &#228;&#xE4; &nbsp; &#x110000;',
      'a < b && ää &nbsp; &#x110000;',
    ],
    ['text that is marked as such', 'a <![CDATA[<b> & ]]> c', 'a <b> & c'],
  ])('has %s', async (_what, written, read) => {
    expect((await failureOf(fault(written))).message).toBe(read);
  });

  test.each([
    ['any prefix', `<E:Envelope xmlns:E="urn:s"><E:Header><h:a/></E:Header><E:Body>${bare}</E:Body></E:Envelope>`],
    ['none', `<Envelope><Header><a>1</a></Header><Body>${bare}</Body></Envelope>`],
    ['attachments', `--b\r\nContent-ID: <root>\r\n\r\n${envelope(bare)}\r\n--b--`],
  ])('is found in an envelope with %s', async (_what, body) => {
    expect(await failureOf(body)).toMatchObject({ code: 'Client', message: 'Broken pump' });
  });

  test('is the first one: what comes after it is not read', async () => {
    const [one, other] = ['one', 'other'].map((name) => fault(name, `<detail>${name}</detail>`));
    expect((await failureOf(`${one}${other}`)).detail).toBe('Client: one\none');
  });

  test('that is cut off has what had come', async () => {
    const whole = fault('The title is empty', '<detail>more</detail>');
    for (const end of ['<detail>', '</faultstring>', 'e title', '</s:Fault>']) {
      const cut = whole.slice(0, whole.indexOf(end) + end.length - 1);
      expect(await failureOf(cut)).toMatchObject({ kind: 'bad-request', message: expect.stringMatching(/^The/) });
    }
    // Before its string it says whose mistake it was, and before its code nothing: the answer itself is the detail.
    expect((await failureOf(whole.slice(0, whole.indexOf('<faultstring>')))).detail).toBe('Client');
    const nothing = whole.slice(0, whole.indexOf('s:Client'));
    expect(await failureOf(nothing)).toMatchObject({ kind: 'other', status: 502, detail: nothing });
  });

  test.each([
    ['a document type', `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>${fault('&b;')}`],
    ['no fault', envelope('<m:Answer xmlns:m="urn:m"><faultstring>no</faultstring></m:Answer>')],
    ['data with an element of this name', envelope(`<m:Pump xmlns:m="urn:m">${bare}</m:Pump>`)],
    ['data with a message in it', envelope(`<m:Mail xmlns:m="urn:m">${fault('old')}</m:Mail>`)],
    ['the body after its first element', envelope(`<m:Answer xmlns:m="urn:m"></m:Answer>${bare}`)],
    ['the body after an empty element', envelope(`<m:Answer xmlns:m="urn:m"/>${bare}`)],
    ['an empty element of this name', envelope(`<s:Fault/>${bare}`)],
    ['the header', `<Envelope><Header>${bare}</Header><Body></Body></Envelope>`],
    ['XML that is not SOAP', `<Report>${bare}</Report>`],
    ['a page', '<html><p>Sorry'],
    ['nothing', ''],
  ])('is not found in %s', async (_what, body) => {
    const error = await failureOf(body);
    expect(error).toMatchObject({ kind: 'other', status: 502, code: 'CONNECTOR_ERROR' });
    expect(error.message).toMatch(/the end system responded with 500/);
    expect(error.detail).toBe(body === '' ? undefined : body);
  });

  test.each([
    ['elements in each other', '<a>'.repeat(20_000)],
    ['ends without a beginning', '</a>'.repeat(16_000)],
    ['quotes that never end', '<a b="'.repeat(10_000)],
    ['tags that never end', '<a '.repeat(20_000)],
    ['comments that never end', '<!--'.repeat(16_000)],
    ['bare angles', '<'.repeat(64_000)],
    ['entities', '&#228;'.repeat(10_000)],
    ['spaces', ' '.repeat(64_000)],
  ])('of hostile %s is read in time (E8)', async (_what, hostile) => {
    const { readSoapFault } = await import('../../../src/connector/end-system/read-soap.js');
    const startedAt = performance.now();
    for (const body of [hostile, fault(hostile), fault('x', `<detail>${hostile}`)]) readSoapFault(body);
    // A few milliseconds; what grows by the square takes minutes.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  test('of a service with codes of its own is for a preset that extends this one', async () => {
    const ours = definePreset({
      name: 'ours',
      extends: 'soap',
      rules: [{ when: { body: { path: 'fault.string', matches: /^No such/ } }, is: 'not-found' }],
    });
    expect(await failureOf(fault('No such issue'), ours)).toMatchObject({ kind: 'not-found', code: 'Client' });
    expect(await failureOf(fault('Wrong'), ours)).toMatchObject({ kind: 'bad-request' });
  });

  test('has no part that is missing', async () => {
    const ours = definePreset({
      name: 'ours',
      extends: 'soap',
      rules: [
        { when: { body: { path: 'fault.subcode', matches: true } }, is: 'not-found' },
        { when: { body: { path: 'fault.detail', matches: false } }, is: 'unauthorized' },
      ],
    });
    expect(await failureOf(fault('Wrong'), ours)).toMatchObject({ kind: 'unauthorized' });
  });
});
