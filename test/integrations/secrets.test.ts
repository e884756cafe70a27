import { DiagLogLevel, diag } from '@opentelemetry/api';
import { createConnectorClient } from 'concordat/client';
import { instrument } from 'concordat/opentelemetry';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Exchange, scriptedConnector } from '../helpers/scripted-connector.js';
import { rejection } from '../helpers/until.js';
import { leaksOf, show } from '../helpers/visible.js';
import { allMessages, eventNames } from './helpers/channels.js';
import { telemetry } from './opentelemetry/helpers/telemetry.js';

const canary = {
  session: 'canary-session+/value=',
  password: 'canary "p4ss w0rd"',
  user: 'canary-user',
  authorization: 'canary-of-the-authorization-header',
  basic: 'canary-basic-password',
  cookie: 'canary-cookie-value',
  apiKey: 'canary-api-key',
  query: 'canary-of-the-query',
  loginQuery: 'canary-of-the-login-query',
};

const leaks = (text: string) => leaksOf(Object.values(canary), text);

/** Echoes all that it was sent, in message, code and detail. */
function echo(exchange: Exchange, status: number, headers: Record<string, string> = {}): void {
  const told = `echo ${JSON.stringify(exchange.headers)} ${exchange.path.split('?')[0]} ${exchange.body}`;
  const session = exchange.session === undefined ? '' : `${canary.session} ${encodeURIComponent(canary.session)}`;
  exchange.reply(
    status,
    { errors: { code: `E ${exchange.session}`, message: `${told} ${session}`, detail: told } },
    headers,
  );
}

async function aHardDay(how: 'parameters' | 'function') {
  const connector = await scriptedConnector({ guard: false });
  connector.initialize = (exchange) => {
    if (exchange.number % 2 === 1) return echo(exchange, 503);
    return exchange.reply(200, [{ key: 'x-session', value: canary.session, sensitive: true }]);
  };
  const script: (number | 'limit' | 'drop' | 'redirect' | 'no JSON' | 'no HTTP')[] = [
    500,
    401,
    'limit',
    'drop',
    'redirect',
    'no JSON',
    'no HTTP',
    200,
    400,
    403,
    404,
    422,
    'limit',
    401,
    401,
    401,
  ];
  connector.handle = (exchange) => {
    const step = script.shift();
    if (step === 'drop') return exchange.drop();
    if (step === 'limit') return echo(exchange, 403, { 'retry-after': '0' });
    if (step === 'redirect') {
      const password = encodeURIComponent(canary.password);
      return exchange.reply(302, '', { location: `http://u:${canary.apiKey}@elsewhere.example/${password}` });
    }
    if (step === 'no JSON') return exchange.reply(200, canary.session, { 'content-type': 'application/json' });
    if (step === 'no HTTP') return exchange.raw(`HTTP/1.1 200 OK\r\nno header ${canary.session}\r\n\r\n`);
    if (step === 200) return exchange.reply(200, {});
    return echo(exchange, step ?? 400);
  };
  const path = `/initialize?token=${canary.loginQuery}`;
  const parameters = { user: canary.user, password: canary.password };
  const client = createConnectorClient({
    baseUrl: connector.url,
    initialize:
      how === 'parameters'
        ? { path, parameters }
        : async ({ request }) => {
            const headers = { authorization: `Bearer ${canary.authorization}` };
            await request({ method: 'POST', path, json: parameters, headers });
            return { 'x-session': canary.session };
          },
    rateLimit: { jitterMs: 0 },
    retry: { minTimeoutMs: 1, maxTimeoutMs: 2 },
    freshSessionGraceMs: 0,
  });
  onTestFinished(() => client.close().catch(() => {}));
  const seen = telemetry();
  onTestFinished(instrument(client, seen.providers));
  const events: unknown[] = [];
  for (const name of eventNames) {
    client.on(name, (event) => events.push({ name, event }));
  }
  const logs: unknown[] = [];
  const log = (...values: unknown[]) => void logs.push(values);
  diag.setLogger({ error: log, warn: log, info: log, debug: log, verbose: log }, DiagLogLevel.ALL);
  onTestFinished(() => diag.disable());
  const messages = allMessages();
  const errors: unknown[] = [];
  for (let call = 0; script.length > 0; call++) {
    const headers = {
      authorization: call % 2 ? `Bearer ${canary.authorization}` : `Basic ${btoa(`ada:${canary.basic}`)}`,
      cookie: `a=1; sid=${canary.cookie}`,
      'x-api-key': canary.apiKey,
    };
    const request = client.get(`/issues?token=${canary.query}`, { headers, query: { key: canary.query } });
    errors.push(await request.catch((error) => error));
  }
  return { connector, client, seen, events, logs, messages, errors };
}

describe.each(['parameters', 'function'] as const)('no secret is in what is visible (S7, E5), login by %s', (how) => {
  it('events, errors, channels, spans, metrics and logs', async () => {
    const { connector, client, seen, events, logs, messages, errors } = await aHardDay(how);
    const visible = {
      events,
      errors,
      messages,
      spans: seen.spans.map((span) => ({ ...span, resource: undefined, _spanProcessor: undefined })),
      metrics: await seen.metrics(),
      logs,
      client: [client, client.status],
    };
    for (const [what, value] of Object.entries(visible)) expect([what, leaks(show(value))]).toEqual([what, []]);

    // Controls: the connector got the canaries, echoed them, and its words arrived.
    const received = JSON.stringify(connector.requests.map(({ headers, path }) => [headers, path]));
    expect(received).toContain(canary.cookie);
    expect(received).toContain(canary.query);
    expect(String(connector.logins[0]?.body)).toContain(canary.user);
    for (const value of [events, errors, messages, visible.spans]) {
      expect(show(value)).toContain('echo ');
      expect(show(value)).toContain('[redacted]');
    }
    expect(new Set(messages.map(({ name }) => name))).toEqual(
      new Set(['call', 'attempt', 'wait', 'result', 'initialize', 'pause', 'resume', 'retry', 'error']),
    );
    expect(seen.spans.length).toBe(errors.length);
    expect(errors.map((error) => (error as { code?: unknown })?.code)).toEqual(
      expect.arrayContaining(['REDIRECT', 'INVALID_JSON']),
    );
  });
});

it('the search finds a secret in any form (control)', () => {
  const error = new Error('outer', { cause: new Error(`inner ${canary.session}`) });
  expect(leaks(show([{ deep: { error } }]))).toContain(canary.session);
  expect(leaks(`?k=${encodeURIComponent(canary.session)}`)).not.toEqual([]);
  expect(leaks(btoa(canary.password))).not.toEqual([]);
});

it('a refused login shows none either', async () => {
  const connector = await scriptedConnector({ initialize: (exchange) => echo(exchange, 401) });
  const client = createConnectorClient({
    baseUrl: connector.url,
    initialize: { parameters: { user: canary.user, password: canary.password } },
  });
  onTestFinished(() => client.close().catch(() => {}));
  const seen = telemetry();
  onTestFinished(instrument(client, seen.providers));
  const messages = allMessages();
  const error = await rejection(client.get('/issues'));
  const spans = seen.spans.map(({ events, status, attributes }) => [events, status, attributes]);
  expect(leaks(show([error, messages, spans]))).toEqual([]);
  expect(error.message).toContain('echo'); // control
});
