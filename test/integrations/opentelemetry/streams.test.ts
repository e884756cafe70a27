import { instrument } from 'concordat/opentelemetry';
import { expect, it, onTestFinished } from 'vitest';
import { connect } from '../../helpers/connect.js';
import { scriptedConnector } from '../../helpers/scripted-connector.js';
import { telemetry } from './helpers/telemetry.js';

it('a stream that goes on after its connection broke is one span, to the end of its body (G6)', async () => {
  const connector = await scriptedConnector({
    handle: ({ headers, response }) => {
      const head = { etag: '"v1"', 'accept-ranges': 'bytes' };
      if (headers.range === undefined) {
        response.writeHead(200, { ...head, 'content-length': 4 }).write('ab', () => response.destroy());
      } else response.writeHead(206, { ...head, 'content-range': 'bytes 2-3/4' }).end('cd');
    },
  });
  const client = connect(connector);
  const seen = telemetry();
  onTestFinished(instrument(client, seen.providers));
  const { body } = await client.stream('/file');
  expect(await new Response(body).text()).toBe('abcd');
  expect(seen.spans).toHaveLength(1);
  const [span] = seen.spans;
  expect(span?.events.map(({ name }) => name)).toEqual(['concordat.login', 'concordat.attempt', 'concordat.attempt']);
  expect(span?.attributes).toMatchObject({ 'http.response.status_code': 206, 'http.request.resend_count': 1 });
  expect(await seen.total('concordat.client.retries')).toBe(1);
  expect((await seen.histogram('concordat.client.call.duration')).map(({ value }) => value.count)).toEqual([1]);
});
