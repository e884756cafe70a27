import { beganKnowing, type ClientRecord, graceTicks, type Send } from '../ledger.js';
import { type Evidence, ms, nameOf, type Rule, toleranceMs } from './evidence.js';

const pauseIsKept: Rule = {
  id: 'G1',
  says: 'nothing is sent during a pause, and no wait is shortened (W7, G2)',
  *judge(evidence) {
    for (const { send: limit, known, endsAt } of evidence.limits()) {
      for (const send of evidence.ledger.sends) {
        if (send.begun.at >= endsAt - toleranceMs) continue;
        // A call that is sent again knows what it was answered.
        const again = send.call !== undefined && send.call === limit.call && send.begun.seq > known.seq;
        if (!again && !beganKnowing(send, known, limit.watched)) continue;
        if (evidence.stateOf(send) !== evidence.stateOf(limit)) continue;
        if (evidence.scopeOf(send) !== evidence.scopeOf(limit)) continue;
        yield `${nameOf(send)} began at ${ms(send.begun.at)}; ${nameOf(limit)} had said to wait until ${ms(endsAt)}`;
      }
    }
  },
};

const snapshotKeepsThePause: Rule = {
  id: 'G2',
  says: 'a client that begins with a snapshot keeps the pause in it',
  *judge(evidence) {
    for (const { name, follows } of evidence.ledger.clients) {
      if (follows === undefined) continue;
      const before = evidence.stateOf({ client: follows.client });
      for (const { send: limit, known, endsAt } of evidence.limits()) {
        const inSnapshot = evidence.stateOf(limit) === before && known.tick + 30 < follows.at.tick;
        if (!inSnapshot) continue;
        for (const send of evidence.sendsBy(name)) {
          if (evidence.scopeOf(send) !== evidence.scopeOf(limit)) continue;
          // The snapshot keeps a calendar's time, in whole milliseconds.
          if (send.begun.at >= endsAt - toleranceMs - 2) continue;
          yield `${nameOf(send)} of ${name} began at ${ms(send.begun.at)}; the snapshot had a pause until ${ms(endsAt)}`;
        }
      }
    }
  },
};

/**
 * For each pause that calls were waiting for: the first request after it, if nothing else was under way. Clients of one state
 * and one clock share the gate.
 */
function* releases(evidence: Evidence): Generator<{ first: Send; rest: Send[]; endsAt: number }> {
  const limits = evidence.limits();
  for (const state of new Set(evidence.ledger.clients.map((client) => client.state))) {
    const clients = evidence.ledger.clients.filter((client) => client.state === state);
    if (clients.some(({ watched }) => !watched) || !evidence.hasOneGate(state)) continue;
    const own = evidence.ledger.sends
      .filter((send) => send.kind !== 'cleanup' && evidence.stateOf(send) === state)
      .sort((one, other) => one.begun.seq - other.begun.seq);
    for (const scope of evidence.options.scoped ? ['core', 'search'] : ['all']) {
      const here = limits.filter(({ send }) => evidence.stateOf(send) === state && evidence.scopeOf(send) === scope);
      const sends = own.filter((send) => evidence.scopeOf(send) === scope);
      for (const { known } of here) {
        const next = here.find((limit) => limit.known.seq > known.seq)?.known.seq ?? Number.POSITIVE_INFINITY;
        const endsAt = Math.max(...here.filter((limit) => limit.known.seq <= known.seq).map((limit) => limit.endsAt));
        const after = sends.filter(
          ({ begun }) => begun.seq > known.seq && begun.seq < next && begun.at >= endsAt - toleranceMs,
        );
        const [first, ...rest] = after;
        if (first === undefined || !waited(evidence, first, endsAt)) continue;
        const earlier = own.filter(({ begun }) => begun.seq < first.begun.seq);
        if (earlier.some(({ settled }) => settled === undefined || settled.seq > first.begun.seq)) continue;
        yield { first, rest, endsAt };
      }
    }
  }
}

/** Whether the call that a request is for was there before the pause ended. */
function waited({ ledger }: Evidence, { call }: Send, endsAt: number): boolean {
  const made = ledger.calls.find(({ plan }) => plan.id === call)?.made;
  return made !== undefined && made.at < endsAt - toleranceMs;
}

const oneGoesFirst: Rule = {
  id: 'G3',
  says: 'at the end of a pause one request goes, and nothing before it has come back',
  *judge(evidence) {
    for (const { first, rest } of releases(evidence)) {
      const second = rest[0];
      if (second === undefined || (first.settled !== undefined && second.begun.seq > first.settled.seq)) continue;
      yield `${nameOf(second)} began before ${nameOf(first)}, the first after the pause, had come back`;
    }
  },
};

const releaseInSteps: Rule = {
  id: 'G3',
  says: 'where no quota is learned, each that comes back lets two more go',
  *judge(evidence) {
    if (evidence.options.pacing !== 'off') return;
    for (const { first, rest, endsAt } of releases(evidence)) {
      const calls = new Set([first.call]);
      for (const [index, send] of rest.entries()) {
        const again = calls.has(send.call);
        calls.add(send.call);
        if (again || !waited(evidence, send, endsAt)) continue;
        const begun = index + 1;
        const back = [first, ...rest].filter(
          ({ settled }) => settled !== undefined && settled.seq < send.begun.seq,
        ).length;
        if (begun >= 1 + 2 * back)
          yield `${nameOf(send)} is number ${begun + 1} after the pause, and ${back} had come back`;
      }
    }
  },
};

const concurrencyIsKept: Rule = {
  id: 'G1',
  says: 'at most `concurrency` requests are out at once',
  *judge(evidence) {
    for (const client of evidence.ledger.clients.filter(({ watched }) => watched)) {
      const sends = evidence.sendsBy(client.name);
      for (const send of sends) {
        // Logins go beyond it, and each part of a gate that is split has its own count (G1).
        if (send.kind === 'login') continue;
        const out = sends.filter(
          ({ kind, begun, settled, path }) =>
            kind !== 'login' &&
            evidence.scopeOf({ path }) === evidence.scopeOf(send) &&
            begun.seq <= send.begun.seq &&
            (settled === undefined || settled.tick > send.begun.tick + 2),
        ).length;
        const most = evidence.concurrencyOf(client);
        if (out > most) yield `${out} requests of ${client.name} were out with ${nameOf(send)}; ${most} may be`;
      }
    }
  },
};

const pausesAreTold: Rule = {
  id: 'G6',
  says: 'each limit is one pause at most, and the first one is told',
  *judge(evidence) {
    const limits = evidence.limits();
    const answered = evidence.ledger.sends.filter(({ answer }) => answer?.verdict === 'limit');
    const told = ({ state }: ClientRecord) => answered.filter((send) => evidence.stateOf(send) === state).length;
    for (const client of evidence.ledger.clients) {
      // What it reads when it is being closed closes no gate any more.
      const own = limits.filter(
        ({ send, known }) =>
          send.client === client.name &&
          known.seq < (client.closing?.seq ?? 0) &&
          known.tick + graceTicks(send.watched) < (client.closing?.tick ?? 0),
      );
      if (client.pauses > told(client) + (client.follows === undefined ? 0 : 2)) {
        yield `${client.name} told of ${client.pauses} pauses, after ${told(client)} limits`;
      }
      if (own.length > 0 && client.pauses === 0) yield `${client.name} met ${own.length} limits and told of no pause`;
    }
  },
};

export const gateRules: readonly Rule[] = [
  pauseIsKept,
  snapshotKeepsThePause,
  oneGoesFirst,
  releaseInSteps,
  concurrencyIsKept,
  pausesAreTold,
];
