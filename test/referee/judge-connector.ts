import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Answers, type Exchange, hasEffect, isLimit } from './answers.js';
import { JudgeSessions } from './judge-sessions.js';
import type { Ledger, Send } from './ledger.js';
import type { Fate, LoginFate } from './plan.js';
import { Quota } from './quota.js';
import { createRandom } from './random.js';

export interface JudgeConnector {
  readonly baseUrl: string;
  /** How many connections are open. */
  readonly sockets: () => number;
  close(): Promise<void>;
}

const latencySalt = 0x51ed27;

/** A connector on a real socket that follows its plan, and writes down each request and what it answered. */
export async function startJudgeConnector(ledger: Ledger): Promise<JudgeConnector> {
  const { scenario } = ledger;
  const sessions = new JudgeSessions(scenario.session);
  const quota = scenario.quota && new Quota(scenario.quota);
  const attempts = new Map<number, number>();
  let loginAttempts = 0;
  const chance = createRandom(scenario.seed ^ latencySalt);

  const latency = () => {
    const { leastMs, spreadMs, tailMs, tails } = scenario.latency;
    return leastMs + chance.next() * spreadMs + (chance.chance(tails) ? tailMs : 0);
  };
  const afterLatency = (task: () => void, extraMs = 0) => void setTimeout(task, latency() + extraMs);

  const usedSockets = new WeakSet<object>();
  const answers = new Answers(ledger, quota, chance);

  function perform(exchange: Exchange, fate: Fate): void {
    const { send } = exchange;
    send.effect = hasEffect(fate);
    if (fate === 'hang') return;
    if (isLimit(fate)) answers.refuse(exchange, fate);
    else if (fate === '401') answers.error(exchange, 401, 'unauthorized');
    else if (['400', '403', '404', '409'].includes(fate)) answers.error(exchange, Number(fate), 'final');
    else if (fate === 'reset') answers.breakOff(exchange);
    else if (fate === 'cut') answers.cut(exchange);
    else if (fate !== 'ok') answers.error(exchange, Number(fate), 'transient');
    else
      answers.give(exchange, { status: 200, verdict: 'ok', body: { call: send.call, send: send.id, body: send.body } });
  }

  function onCall(exchange: Exchange): void {
    const { send } = exchange;
    const admitted = sessions.admits(send.session);
    const full = admitted ? quota?.take(send.path) : undefined;
    if (!admitted) {
      const late = chance.chance(0.5) ? scenario.session.late401Ms : 0;
      afterLatency(() => answers.error(exchange, 401, 'unauthorized'), late);
    } else if (quota !== undefined && full !== undefined) {
      afterLatency(() => answers.refuse(exchange, quota.plan.answer, full.freeAt));
    } else {
      const call = send.call ?? -1;
      const fates = scenario.calls[call]?.fates ?? ['ok'];
      const attempt = attempts.get(call) ?? 0;
      attempts.set(call, attempt + 1);
      afterLatency(() => perform(exchange, fates[Math.min(attempt, fates.length - 1)] as Fate));
    }
  }

  function onLogin(exchange: Exchange): void {
    const full = scenario.quota?.countsLogins ? quota?.take(exchange.send.path) : undefined;
    if (full !== undefined) {
      afterLatency(() => answers.refuse(exchange, 'limit-403', full.freeAt));
      return;
    }
    const fate = scenario.logins[Math.min(loginAttempts++, scenario.logins.length - 1)] as LoginFate;
    afterLatency(() => {
      if (fate === 'ok') {
        const account = parameter(exchange.send.body, 'account');
        const headers = sessions.login(account);
        ledger.logins.push({ account, send: exchange.send, headers });
        answers.give(exchange, { status: 200, verdict: 'ok', body: headers });
      } else if (fate === 'refused') answers.error(exchange, 403, 'final');
      else if (fate === 'junk') answers.give(exchange, { status: 200, verdict: 'final', body: null });
      else perform(exchange, fate);
    });
  }

  const server = createServer({ keepAliveTimeout: 120_000, requestTimeout: 0 }, async (request, response) => {
    const send = toSend(ledger, request);
    send.arrived = ledger.moment();
    send.beganUnseen = !send.watched && !usedSockets.has(request.socket);
    usedSockets.add(request.socket);
    response.on('close', () => {
      if (!send.watched) ledger.settle(send, response.writableFinished ? 'answered' : 'broken');
    });
    try {
      for await (const chunk of request) send.body += chunk;
    } catch {
      return; // The client has given it up.
    }
    const exchange = { request, response, send };
    if (send.kind === 'login') send.client ||= parameter(send.body, 'client');
    if (send.kind === 'login') onLogin(exchange);
    else if (send.kind === 'call') onCall(exchange);
    else {
      sessions.end(sessions.accountOf(send.session) ?? '');
      answers.give(exchange, { status: 204, verdict: 'ok' });
    }
  });
  let sockets = 0;
  server.on('connection', (socket) => {
    sockets++;
    socket.on('error', () => {});
    socket.on('close', () => sockets--);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sockets: () => sockets,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The watched request that has arrived, or the record of one that nobody has seen before. */
function toSend(ledger: Ledger, { headers, method = '', url = '' }: IncomingMessage): Send {
  const kind = url === '/initialize' ? 'login' : url === '/cleanup' ? 'cleanup' : 'call';
  const call = headers['x-call'] === undefined ? undefined : Number(headers['x-call']);
  const known = ledger.reserved(Number(headers['x-send'] ?? -1));
  const client = String(headers['x-client'] ?? '');
  const send = known ?? ledger.begin(ledger.reserve({ kind, client, call, method, path: url, watched: false }));
  send.session = Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (name.startsWith('x-session') ? [[name, String(value)]] : [])),
  );
  return send;
}

/** Reads a parameter out of the array that rule S1 wants; anything else is nobody's account. */
function parameter(body: string, key: string): string {
  try {
    const list = JSON.parse(body) as Array<{ key: string; value: string }>;
    return list.find((entry) => entry.key === key)?.value ?? '';
  } catch {
    return '';
  }
}
