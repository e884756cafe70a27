import { beganKnowing, type Send } from '../ledger.js';
import { expectedBody } from '../run.js';
import { type Evidence, ms, nameOf, type Rule, sessionId, toleranceMs } from './evidence.js';

const oneWholeSession: Rule = {
  id: 'S1',
  says: 'each request carries one session of its own, whole, and nothing of an older one',
  *judge(evidence) {
    const issued = new Map(evidence.ledger.logins.map((login) => [login.headers['x-session'], login]));
    for (const send of evidence.ledger.sends) {
      if (send.arrived === undefined || send.kind === 'login') continue;
      const login = issued.get(sessionId(send) ?? '');
      const carried = JSON.stringify(sorted(send.session));
      if (login === undefined) yield `${nameOf(send)} came with ${carried}, which is no session`;
      else if (carried !== JSON.stringify(sorted(login.headers))) yield `${nameOf(send)} came with ${carried}`;
      else if (send.client !== '' && login.account !== evidence.stateOf(send)) {
        yield `${nameOf(send)} of ${send.client} came with the session of ${login.account}`;
      }
    }
  },
};

const sorted = (headers: Readonly<Record<string, string>>) =>
  Object.entries(headers).sort(([one], [other]) => (one < other ? -1 : 1));

const loginIsBare: Rule = {
  id: 'S5',
  says: 'a login brings an array of parameters (S1) and no session',
  *judge(evidence) {
    for (const send of evidence.ledger.sends) {
      if (send.kind !== 'login' || send.answer === undefined) continue;
      if (Object.keys(send.session).length > 0) yield `${nameOf(send)} came with ${JSON.stringify(send.session)}`;
      const list: unknown = JSON.parse(send.body);
      const right =
        Array.isArray(list) &&
        list.every(
          (entry) =>
            typeof entry.key === 'string' && typeof entry.value === 'string' && typeof entry.sensitive === 'boolean',
        );
      if (!right) yield `${nameOf(send)} came with ${send.body}`;
    }
  },
};

const bodiesAreWhole: Rule = {
  id: 'G8',
  says: 'a body is whole each time it is sent',
  *judge({ ledger }) {
    for (const send of ledger.sends) {
      const plan = ledger.scenario.calls[send.call ?? -1];
      if (send.kind !== 'call' || plan === undefined || send.answer === undefined) continue;
      if (send.body !== expectedBody(plan)) yield `${nameOf(send)} came with the body ${JSON.stringify(send.body)}`;
    }
  },
};

const oneLoginAtATime: Rule = {
  id: 'S3',
  says: 'one login at a time for all who share a state',
  *judge(evidence) {
    const logins = evidence.ledger.sends.filter(({ kind, arrived }) => kind === 'login' && arrived !== undefined);
    for (const [index, later] of logins.entries()) {
      for (const earlier of logins.slice(0, index)) {
        if (evidence.stateOf(earlier) !== evidence.stateOf(later)) continue;
        // A client that is not watched may have given the login up before its answer was written.
        const { watched, settled, answer } = earlier;
        const ends = watched ? [settled] : [settled, answer?.at];
        const isOver = ends.some((end) => end !== undefined && end.seq < later.begun.seq);
        if (isOver || (!watched && answer === undefined)) continue;
        yield `${nameOf(later)} began while ${nameOf(earlier)} was on its way`;
      }
    }
  },
};

const noNeedlessLogin: Rule = {
  id: 'S4',
  says: 'nobody logs in while the newest session has not been refused',
  *judge(evidence) {
    const { sends } = evidence.ledger;
    for (const login of sends.filter(({ kind }) => kind === 'login')) {
      const known = evidence
        .logins(evidence.stateOf(login))
        .filter(
          ({ send }) =>
            send.settled !== undefined && evidence.hasArrived(send) && beganKnowing(login, send.settled, send.watched),
        );
      const newest = known.at(-1)?.headers['x-session'];
      if (newest === undefined) continue;
      const refused = sends.some(
        (send) => sessionId(send) === newest && send.answer?.status === 401 && send.answer.at.seq < login.begun.seq,
      );
      if (!refused) yield `${nameOf(login)} replaces ${newest}, which nobody had refused`;
    }
  },
};

const newestSessionIsUsed: Rule = {
  id: 'S4',
  says: 'who knows a newer session uses it',
  *judge(evidence) {
    for (const send of evidence.ledger.sends.filter(({ kind }) => kind === 'call')) {
      const logins = evidence.logins(evidence.stateOf(send));
      const used = logins.findIndex(({ headers }) => headers['x-session'] === sessionId(send));
      for (const made of used < 0 ? [] : logins.slice(used + 1)) {
        const { send: login, headers } = made;
        if (login.settled === undefined || !evidence.hasArrived(login) || !evidence.knew(send, made)) continue;
        if (!beganKnowing(send, login.settled, login.watched)) continue;
        yield `${nameOf(send)} came with ${sessionId(send)}, after ${headers['x-session']} had been received`;
      }
    }
  },
};

const deadSessionIsDead: Rule = {
  id: 'S4',
  says: 'a session that was refused is not used again, where none counts as fresh',
  *judge(evidence) {
    if (evidence.options.freshSessionGraceMs > 0) return;
    for (const refused of evidence.ledger.sends) {
      if (refused.kind !== 'call' || refused.answer?.status !== 401 || refused.settled === undefined) continue;
      if (!evidence.hasArrived(refused)) continue;
      for (const send of evidence.ledger.sends) {
        if (send.kind !== 'call' || sessionId(send) !== sessionId(refused) || send.client !== refused.client) continue;
        if (!beganKnowing(send, refused.settled, refused.watched) || isCoolDown(evidence, send)) continue;
        yield `${nameOf(send)} came with ${sessionId(send)}, which ${nameOf(refused)} had shown to be dead`;
      }
    }
  },
};

/** Whether calls may go out with what session there is: one has ended in an `UnauthorizedError` (rule S5). */
function isCoolDown(evidence: Evidence, send: Send): boolean {
  return evidence.ledger.calls.some(
    ({ client, error, ended }) =>
      evidence.stateOf({ client }) === evidence.stateOf(send) &&
      (error as { kind?: string } | undefined)?.kind === 'unauthorized' &&
      (ended?.seq ?? 0) < send.begun.seq,
  );
}

const refusalsEnd: Rule = {
  id: 'S4',
  says: 'a call costs three sends at most that end in 401, where no session works and nobody pauses',
  *judge(evidence) {
    if (evidence.limits().length > 0) return;
    // A failure in between starts the count anew (S4).
    const worked = new Set(
      evidence.ledger.sends.flatMap((send) =>
        send.answer !== undefined && send.answer.status !== 401 ? [sessionId(send)] : [],
      ),
    );
    for (const call of evidence.ledger.calls) {
      const alone = evidence.ledger.clients.filter(({ state }) => state === evidence.stateOf(call)).length === 1;
      const refused = evidence.sendsOf(call).filter(({ answer }) => answer?.status === 401);
      const failed = evidence.sendsOf(call).some((send) => evidence.isTransient(send));
      const pure = alone && !failed ? refused.filter((send) => !worked.has(sessionId(send))).length : 0;
      if (pure > 3) yield `call ${call.plan.id} was sent ${pure} times with sessions that never worked`;
      // One that worked counts the first time, and after five times.
      if (!failed && refused.length > 9) yield `call ${call.plan.id} met ${refused.length} answers 401`;
    }
  },
};

const refusedLoginCoolsDown: Rule = {
  id: 'S5',
  says: 'after a refused login nobody tries again for `loginCooldownMs`',
  *judge(evidence) {
    const logins = evidence.ledger.sends.filter(({ kind }) => kind === 'login');
    for (const refused of logins) {
      const { answer, settled, headed } = refused;
      if (answer?.status !== 403 || answer.verdict !== 'final' || settled === undefined || headed === undefined)
        continue;
      if (!evidence.hasArrived(refused)) continue;
      for (const login of logins) {
        if (login.client !== refused.client || !beganKnowing(login, settled, refused.watched)) continue;
        const until = headed.at + evidence.options.loginCooldownMs - toleranceMs;
        if (login.begun.at < until)
          yield `${nameOf(login)} began before ${ms(until)}, though ${nameOf(refused)} was refused`;
      }
    }
  },
};

export const sessionRules: readonly Rule[] = [
  oneWholeSession,
  loginIsBare,
  bodiesAreWhole,
  oneLoginAtATime,
  noNeedlessLogin,
  newestSessionIsUsed,
  deadSessionIsDead,
  refusalsEnd,
  refusedLoginCoolsDown,
];
