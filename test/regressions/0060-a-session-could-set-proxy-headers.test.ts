// Rule S2 keeps every `proxy-*` header out of sessions, and three names were refused: a connector could make the client
// send any other, such as `Proxy-Status`, to whatever proxy is in between. The first fuzz run of session answers found it.
import { createConnectorClient, InitializeError } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { connect } from '../helpers/connect.js';
import { scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';

const answering = (name: string) =>
  scriptedConnector({ guard: false, initialize: (exchange) => exchange.reply(200, { 'x-session': 'a', [name]: 'b' }) });

describe('a session with a header for proxies (S2)', () => {
  it.each(['proxy-status', 'Proxy-Features', 'PROXY-', 'proxy-authorization', 'proxy-connection'])(
    '%s is an InitializeError that names it, and nothing is sent',
    async (name) => {
      const connector = await answering(name);
      const error = await rejection(connect(connector).get('/items'));
      expect(error).toBeInstanceOf(InitializeError);
      expect(error.message).toContain(`"${name}"`);
      expect(connector.requests).toHaveLength(0);
    },
  );

  it.each(['x-proxy-status', 'proxystatus'])('control: %s is a header like any other', async (name) => {
    const connector = await answering(name);
    await connect(connector).get('/items');
    expect(connector.requests[0]?.headers).toMatchObject({ 'x-session': 'a', [name]: 'b' });
  });

  it('a caller cannot set one either', async () => {
    const connector = await scriptedConnector();
    const client = connect(connector);
    await expect(client.get('/items', { headers: { 'proxy-status': 'b' } })).rejects.toThrow(TypeError);
    expect(() =>
      createConnectorClient({
        baseUrl: connector.url,
        initialize: { parameters: {} },
        rateLimit: { header: 'proxy-wait' },
      }),
    ).toThrow('`rateLimit.header');
  });
});
