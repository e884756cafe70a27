import { type RecordedReply, type ReplySet, withoutWait } from '../reply-set.js';

const fault = (code: string, string: string, detail = '') => `<?xml version="1.0" encoding="utf-8"?>
<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
  <soap:Body>
    <soap:Fault><faultcode>${code}</faultcode><faultstring xml:lang="en">${string}</faultstring>${detail}</soap:Fault>
  </soap:Body>
</soap:Envelope>`;

/** The same in SOAP 1.2. */
const newerFault = (code: string, subcode: string, string: string) => `
<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope">
  <env:Header/>
  <env:Body>
    <env:Fault>
      <env:Code><env:Value>env:${code}</env:Value><env:Subcode><env:Value>${subcode}</env:Value></env:Subcode></env:Code>
      <env:Reason><env:Text xml:lang="en">${string}</env:Text><env:Text xml:lang="de">Nein</env:Text></env:Reason>
    </env:Fault>
  </env:Body>
</env:Envelope>`;

const xml = { 'content-type': 'text/xml; charset=utf-8' };
const success = (content: string) => `<e:Envelope><e:Body><m:Found>${content}</m:Found></e:Body></e:Envelope>`;

/** What servers send with a 200 that should be a 500. */
const hidden: RecordedReply[] = [
  {
    what: 'a limit in a success',
    status: 200,
    headers: { ...xml, 'retry-after': '7' },
    body: fault('app:Client.Throttled', 'Slow down'),
    gives: { is: 'rate-limit', code: 'Client.Throttled', message: 'Slow down', waitMs: 7_000 },
    control: { what: 'a success of that name', body: success('Throttled'), gives: 'success' },
  },
  {
    what: 'a login that is over, in a success',
    status: 200,
    headers: xml,
    body: fault('app:SessionExpired', 'Log in'),
    gives: { is: 'unauthorized', code: 'SessionExpired', message: 'Log in' },
  },
  {
    what: 'a denial in a success',
    status: 200,
    headers: { 'content-type': 'application/soap+xml' },
    body: newerFault('Sender', 'app:AccessDenied', 'Not yours'),
    gives: { is: 'forbidden', code: 'AccessDenied', message: 'Not yours' },
  },
  {
    what: 'something missing in a success',
    status: 200,
    headers: xml,
    body: fault('app:ObjectNotFound', 'No issue 7'),
    gives: { is: 'not-found', code: 'ObjectNotFound', message: 'No issue 7' },
  },
  {
    what: 'a request that is wrong, in a success',
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: fault('soap:Client', 'Empty'),
    gives: { is: 'bad-request', code: 'Client', message: 'Empty' },
  },
  {
    what: 'a fault of the service in a success',
    status: 200,
    headers: xml,
    body: fault('soap:Server', 'Oops'),
    gives: { is: 'other', status: 502, code: 'Server', message: 'Oops' },
  },
];

export const soap: ReplySet = {
  product: 'any SOAP service',
  checkedAgainst: 'documentation only',
  replies: [
    {
      what: 'a limit',
      status: 500,
      body: fault('sf:REQUEST_LIMIT_EXCEEDED', 'TotalRequests Limit exceeded.'),
      gives: {
        is: 'rate-limit',
        code: 'REQUEST_LIMIT_EXCEEDED',
        message: 'TotalRequests Limit exceeded.',
        waitMs: 60_000,
      },
      control: {
        what: 'another code',
        body: fault('sf:UNKNOWN_EXCEPTION', 'TotalRequests Limit exceeded.'),
        gives: { is: 'other', status: 502, code: 'UNKNOWN_EXCEPTION', message: 'TotalRequests Limit exceeded.' },
      },
    },
    {
      what: 'a limit at the edge',
      status: 429,
      headers: { 'retry-after': '3' },
      gives: { is: 'rate-limit', waitMs: 3_000 },
      control: withoutWait(60_000),
    },
    {
      what: 'a login that is over',
      status: 500,
      body: fault('sf:INVALID_SESSION_ID', 'Session expired &amp; invalid'),
      gives: { is: 'unauthorized', code: 'INVALID_SESSION_ID', message: 'Session expired & invalid' },
    },
    {
      what: 'a token that is refused',
      status: 400,
      body: newerFault('Sender', 'wsse:FailedAuthentication', 'The token could not be authenticated.'),
      gives: { is: 'unauthorized', code: 'FailedAuthentication', message: 'The token could not be authenticated.' },
    },
    {
      what: 'a denial',
      status: 500,
      body: newerFault('Sender', 'app:AccessDenied', 'Not yours'),
      gives: { is: 'forbidden', code: 'AccessDenied', message: 'Not yours' },
    },
    {
      what: 'something missing',
      status: 500,
      body: fault('app:ObjectNotFound', 'No issue 7'),
      gives: { is: 'not-found', code: 'ObjectNotFound', message: 'No issue 7' },
    },
    {
      what: 'a request that is wrong',
      status: 500,
      body: fault('soap:Client', '<![CDATA[The title is <empty>]]>'),
      gives: { is: 'bad-request', code: 'Client', message: 'The title is <empty>' },
    },
    {
      what: 'a request that is wrong, with a code of the service',
      status: 400,
      body: newerFault('Sender', 'rpc:BadArguments', 'Processing error'),
      gives: { is: 'bad-request', code: 'BadArguments', message: 'Processing error' },
    },
    {
      what: 'a fault of the service',
      status: 500,
      body: fault('SOAP-ENV:Server', 'Oops', '<detail><e:Id xmlns:e="urn:e">17</e:Id></detail>'),
      gives: { is: 'other', status: 502, code: 'Server', message: 'Oops' },
    },
    { what: 'a page of a proxy', status: 503, body: '<html><h1>Down</h1></html>', gives: { is: 'other', status: 503 } },
    ...hidden,
    {
      what: 'data with a fault in it',
      status: 200,
      headers: xml,
      body: success(fault('soap:Client', 'old')),
      gives: 'success',
    },
    { what: 'a fault in a page', status: 200, body: fault('soap:Client', 'odd'), gives: 'success' },
  ],
};
