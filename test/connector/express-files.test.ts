import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connectorErrorHandler } from 'concordat/connector/express';
import express from 'express';
import { expect, onTestFinished, test } from 'vitest';
import { errorsOf, send } from './support/send.js';

test('a range that a file of Express does not have gets a 416 with its length (E4; RFC 9110, 15.5.17)', async () => {
  const app = express();
  app.get('/file', (_request, response) => response.sendFile(import.meta.filename, { maxAge: 3_600_000 }));
  app.use(connectorErrorHandler());
  const server = createServer(app);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const whole = await send(url, { path: '/file' });
  const answer = await send(url, { path: '/file', headers: { range: 'bytes=9999999-' } });
  expect([answer.status, errorsOf(answer).code]).toEqual([416, 'CONNECTOR_ERROR']);
  expect(answer.headers['content-range']).toBe(`bytes */${whole.headers['content-length']}`);
  expect(answer.headers['cache-control']).toBe('no-store');
});
