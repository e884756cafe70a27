import { isIdempotent } from '../plan.js';
import { nameOf, type Rule } from './evidence.js';

const unsafeOnce: Rule = {
  id: 'G7',
  says: 'what must not be done twice is done once',
  *judge(evidence) {
    for (const call of evidence.ledger.calls.filter(({ plan }) => !isIdempotent(plan))) {
      const sends = evidence.sendsOf(call);
      const done = sends.filter(({ effect }) => effect).length;
      if (done > 1) yield `${call.plan.method} of call ${call.plan.id} was done ${done} times`;
      for (const [index, send] of sends.entries()) {
        const next = sends[index + 1];
        if (next !== undefined && evidence.isTransient(send))
          yield `${nameOf(next)} repeats ${nameOf(send)}, which may have been done`;
      }
    }
  },
};

const oneAtATime: Rule = {
  id: 'G7',
  says: 'a call is sent again only when the send before it has come back',
  *judge(evidence) {
    for (const call of evidence.ledger.calls) {
      const sends = evidence.sendsOf(call).filter(({ watched }) => watched);
      for (const [index, send] of sends.entries()) {
        const next = sends[index + 1];
        if (next === undefined || (send.settled !== undefined && send.settled.seq < next.begun.seq)) continue;
        yield `${nameOf(next)} began before ${nameOf(send)} had come back`;
      }
    }
  },
};

const doneIsDone: Rule = {
  id: 'G7',
  says: 'after a success, or an answer that asking again would not change, nothing is sent',
  *judge(evidence) {
    for (const call of evidence.ledger.calls) {
      const sends = evidence.sendsOf(call);
      for (const [index, send] of sends.entries()) {
        const next = sends[index + 1];
        const { verdict, status } = send.answer ?? {};
        if (next === undefined || (verdict !== 'ok' && verdict !== 'final') || !evidence.hasArrived(send)) continue;
        yield `${nameOf(next)} repeats ${nameOf(send)}, which was answered ${status}`;
      }
    }
  },
};

const retriesAreCounted: Rule = {
  id: 'G5',
  says: 'transient failures are repeated `retry.retries` times at most',
  *judge(evidence) {
    const { retries } = evidence.options;
    for (const call of evidence.ledger.calls) {
      const failed = evidence.sendsOf(call).filter((send) => evidence.isTransient(send)).length;
      if (failed > retries + 1) yield `call ${call.plan.id} failed ${failed} times; ${retries} repeats are allowed`;
    }
  },
};

export const repeatRules: readonly Rule[] = [unsafeOnce, oneAtATime, doneIsDone, retriesAreCounted];
