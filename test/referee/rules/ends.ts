import { beganKnowing } from '../ledger.js';
import { nameOf, type Rule } from './evidence.js';

/** "At once" in turns of the event loop, of which a busy machine has fewer. */
const soonTicks = 200;

const neverSilent: Rule = {
  id: 'G9',
  says: 'every call ends, and while one waits something is on its way or a timer is set',
  *judge({ ledger }) {
    yield* ledger.silences;
    const { hung } = ledger;
    if (hung.length > 0) yield `calls ${hung.join(', ')} had not ended long after all should have`;
  },
};

const abortEnds: Rule = {
  id: 'G4',
  says: 'a signal ends its call at once, with its reason, and nothing more is sent for it',
  *judge(evidence) {
    for (const call of evidence.ledger.calls) {
      const { aborted, ended, plan, error, reason } = call;
      if (aborted === undefined || (ended !== undefined && ended.seq < aborted.seq)) continue;
      const sends = evidence.sendsOf(call);
      // What had come back by then may still become its outcome.
      const back = (sends.at(-1)?.settled?.seq ?? Number.POSITIVE_INFINITY) < aborted.seq;
      if (ended === undefined || ended.tick > aborted.tick + soonTicks)
        yield `call ${plan.id} did not end when it was given up`;
      else if (error !== reason && !back) yield `call ${plan.id} was given up and ended with ${String(error)}`;
      for (const send of sends) {
        if (beganKnowing(send, aborted)) yield `${nameOf(send)} began after its call was given up`;
      }
    }
  },
};

const closeEndsAll: Rule = {
  id: 'G4',
  says: 'after close() nothing is sent, and no timer or connection is left',
  *judge(evidence) {
    const { ledger } = evidence;
    for (const { name, closing, closed, timersLeft } of ledger.clients) {
      if (closed === undefined) yield `close() of ${name} did not end`;
      if (timersLeft > 0) yield `${name} left ${timersLeft} timers`;
      for (const send of evidence.sendsBy(name)) {
        if (closed !== undefined && beganKnowing(send, closed)) yield `${nameOf(send)} began after ${name} was closed`;
        else if (closing !== undefined && send.kind === 'call' && beganKnowing(send, closing)) {
          yield `${nameOf(send)} began while ${name} was being closed`;
        }
      }
      for (const call of ledger.calls.filter(({ client }) => client === name)) {
        if (
          closed !== undefined &&
          (call.ended === undefined || call.ended.tick > Math.max(closed.tick, call.made.tick) + soonTicks)
        ) {
          yield `call ${call.plan.id} had not ended when ${name} was closed`;
        }
      }
    }
    if (ledger.socketsLeft > 0) yield `${ledger.socketsLeft} connections were left`;
  },
};

const answersAreFinished: Rule = {
  id: 'G8',
  says: 'no answer is forgotten: each is read to its end or destroyed',
  *judge({ ledger }) {
    for (const send of ledger.sends) {
      if (send.watched && send.headed !== undefined && send.settled === undefined)
        yield `the answer to ${nameOf(send)} was left lying`;
    }
  },
};

const countersAreTrue: Rule = {
  id: 'G6',
  says: '`client.status.counters` has the sums',
  *judge(evidence) {
    const { ledger } = evidence;
    const given = ledger.calls.some(({ aborted }) => aborted !== undefined);
    for (const { name, counters, watched, closing } of ledger.clients) {
      if (counters === undefined || closing === undefined) continue;
      const calls = ledger.calls.filter(({ client, made }) => client === name && made.seq < closing.seq).length;
      if (counters.calls !== calls) yield `${name} counted ${counters.calls} calls of ${calls}`;
      const sends = evidence.sendsBy(name).filter(({ kind }) => kind !== 'cleanup');
      // What is on its way may count when it begins or when it comes back: the rule leaves that open.
      if (sends.some(({ settled }) => settled === undefined || settled.seq > closing.seq)) continue;
      // One that is given up while it queues for a socket counts: from outside the two look the same.
      const handedOver = sends.length + ledger.takenBack(name);
      if (watched && (counters.sent < sends.length || counters.sent > handedOver))
        yield `${name} counted ${counters.sent} requests of ${sends.length}, ${ledger.takenBack(name)} taken back`;
      const limits = sends.filter(({ answer }) => answer?.verdict === 'limit');
      const least = limits.filter((send) => evidence.hasArrived(send) && send.settledAs === 'answered').length;
      if (watched && !given && (counters.refused < least || counters.refused > limits.length)) {
        yield `${name} counted ${counters.refused} limits of ${least}`;
      }
    }
  },
};

const cleanupOnce: Rule = {
  id: 'S1',
  says: '`close()` cleans up once at most, and only where it was asked to',
  *judge(evidence) {
    const cleanups = evidence.ledger.sends.filter(({ kind }) => kind === 'cleanup').length;
    const most = evidence.options.cleanup ? evidence.ledger.clients.length : 0;
    if (cleanups > most) yield `${cleanups} clean-ups, of ${most} clients that have one`;
  },
};

export const endRules: readonly Rule[] = [
  neverSilent,
  abortEnds,
  closeEndsAll,
  answersAreFinished,
  countersAreTrue,
  cleanupOnce,
];
