// What the page on networks says of certificates, against a server that asks for them.
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Agent, type buildConnector } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../helpers/connect.js';
import { cert, key } from '../helpers/self-signed.js';
import { rejection } from '../helpers/until.js';

/** Certificates of one authority on both sides; what it answers says whose the client's is. */
async function mutualTls() {
  const server = createServer(
    { key, cert, ca: cert, requestCert: true, rejectUnauthorized: true },
    (request, response) => {
      const { subject } = (request.socket as import('node:tls').TLSSocket).getPeerCertificate();
      response.setHeader('content-type', 'application/json').end(JSON.stringify({ name: subject.CN }));
    },
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function connectBy(url: string, options: buildConnector.BuildOptions) {
  const dispatcher = new Agent({ connect: options });
  onTestFinished(() => dispatcher.destroy());
  return connect({ url }, { dispatcher, initialize: async () => ({}), retry: { retries: 0 } });
}

it('a dispatcher brings an authority and a client certificate', async () => {
  const url = await mutualTls();
  expect(await connectBy(url, { ca: cert, cert, key }).get('/whoami')).toEqual({ name: '127.0.0.1' });
});

it('without the certificate, the server refuses; without the authority, the client (control)', async () => {
  const url = await mutualTls();
  expect(await rejection(connectBy(url, { ca: cert }).get('/'))).toMatchObject({ code: 'NETWORK_ERROR' });
  const error = await rejection(connectBy(url, { cert, key }).get('/'));
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', message: expect.stringMatching(/SELF_SIGNED|self-signed/) });
});
