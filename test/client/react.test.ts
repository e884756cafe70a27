import { describe, expect, it } from 'vitest';
import {
  type Facts,
  type History,
  noHistory,
  type Reaction,
  react,
  type SessionFacts,
} from '../../src/client/call/react.js';

const facts = (kind: Facts['kind'], more: Partial<Facts> = {}): Facts => ({
  kind,
  status: undefined,
  retriedStatuses: [500, 502, 503, 504],
  isResendable: true,
  isIdempotent: true,
  retriesLeft: 5,
  ...more,
});
const past = (more: Partial<History>): History => ({ ...noHistory, ...more });

/** A stream that is used up by now. */
const usedUp: Partial<Facts> = { isResendable: false };
const post: Partial<Facts> = { isIdempotent: false };
const noRetries: Partial<Facts> = { retriesLeft: 0 };

const notSentAgain = expect.stringContaining('`() => body`');
const tooEarly = expect.stringContaining('no new login yet');

const fail: Reaction = { type: 'fail' };
const failUsedUp: Reaction = { type: 'fail', note: notSentAgain };
const sendAgain: Reaction = { type: 'send again' };
const retry: Reaction = { type: 'retry', number: 1 };

describe('what is not a 401', () => {
  const before = past({ unauthorized: 1, logins: 1, endedSessions: 2, retries: 0 });

  it.each<[string, Facts, Reaction]>([
    ['held back: nothing was sent, so nothing is used up', facts('held-back'), sendAgain],
    [
      'held back with a stream, a POST, no retries',
      facts('held-back', { ...usedUp, ...post, ...noRetries }),
      sendAgain,
    ],
    ['a limit (W2, G1)', facts('limit', { status: 403 }), sendAgain],
    ['a limit of a proxy (W3)', facts('limit', { status: 429 }), sendAgain],
    ['a limit with 503 (W3)', facts('limit', { status: 503 }), sendAgain],
    [
      'a limit for a POST without retries (W3, G5, G7)',
      facts('limit', { status: 429, ...post, ...noRetries }),
      sendAgain,
    ],
    ['a limit for a stream (G8)', facts('limit', { status: 403, ...usedUp }), failUsedUp],
    ['a redirect', facts('redirect', { status: 302 }), fail],
    ['a redirect with a status that is a failure for others', facts('redirect', { status: 503 }), fail],
    ['a status that HTTP does not know', facts('unexpected', { status: 600 }), fail],
    ['a body that is too large', facts('too-large', { status: 200 }), fail],
    ['aborted', facts('aborted'), fail],
    ['the 401 of a login, which has no session (S5)', facts('unauthorized', { status: 401 }), fail],
    ...[400, 402, 403, 404, 405, 408, 409, 422, 501, 505, 599].map((status): [string, Facts, Reaction] => [
      `${status} (G7)`,
      facts('error', { status }),
      fail,
    ]),
  ])('%s', (_name, given, expected) => {
    const { reaction, history } = react(before, given);
    expect(reaction).toEqual(expected);
    expect(history).toEqual(before);
  });

  const passing: [string, Facts][] = [
    ['a broken connection', facts('failed')],
    ['a time-out', facts('timeout')],
    ['a success that is cut off', facts('truncated', { status: 200 })],
    ...[500, 502, 503, 504].map((status): [string, Facts] => [String(status), facts('error', { status })]),
  ];

  it.each(passing)('%s is retried, and 401s are counted anew (G7)', (_name, given) => {
    expect(react(before, given)).toEqual({ reaction: retry, history: past({ retries: 1 }) });
    expect(react(past({ retries: 3 }), { ...given, retriesLeft: 1 })).toEqual({
      reaction: { type: 'retry', number: 4 },
      history: past({ retries: 4 }),
    });
  });

  it.each<[string, Partial<Facts>, Reaction]>([
    ['without retries', noRetries, fail],
    ['when they are used up', { retriesLeft: -1 }, fail],
    ['of a POST (G7)', post, fail],
    ['of a stream, which might have been sent again (G8)', usedUp, failUsedUp],
    ['of a stream in a POST: the stream is not the reason', { ...usedUp, ...post }, fail],
    ['of a stream without retries: the stream is not the reason', { ...usedUp, ...noRetries }, fail],
  ])('none of them is %s', (_name, more, expected) => {
    for (const [, given] of passing) {
      expect(react(before, { ...given, ...more })).toEqual({ reaction: expected, history: before });
    }
  });
});

describe('a 401 (S4, S5)', () => {
  const own: SessionFacts = {
    ageMs: 0,
    graceMs: 3000,
    adopted: false,
    accepted: false,
    isCoolingDown: false,
    recheck: 'none',
  };
  const young = { ageMs: 2999 };
  const old = { ageMs: 3000 };
  const accepted = { accepted: true };
  const adopted = { adopted: true };
  const isCoolingDown = { isCoolingDown: true };
  const running = { recheck: 'running' } as const;
  const failedRecheck = { recheck: 'failed' } as const;
  const failedByThis = { recheck: 'failed by this call' } as const;

  const logIn: Reaction = { type: 'log in' };
  const recheck: Reaction = { type: 'recheck session' };
  const neverAccepted: Reaction = { type: 'fail', session: 'never accepted' };
  const early: Reaction = { type: 'fail', note: tooEarly };

  /** The session that it was sent with; what the call had met before; the reaction; what has changed of the history. */
  type Row = [string, Partial<SessionFacts>, Partial<History>, Reaction, Partial<History>];

  const first: Row[] = [
    ['any age: 0', {}, {}, logIn, { unauthorized: 1 }],
    ['any age: young', young, {}, logIn, { unauthorized: 1 }],
    ['any age: old', old, {}, logIn, { unauthorized: 1 }],
    ['any age: unknown', { ...adopted, ageMs: Number.POSITIVE_INFINITY }, {}, logIn, { unauthorized: 1 }],
    ['counts although others got through', accepted, {}, logIn, { unauthorized: 1 }],
    ['counts although the session was adopted, and old', { ...adopted, ...old }, {}, logIn, { unauthorized: 1 }],
    ['after any number of retries', {}, { retries: 4 }, logIn, { unauthorized: 1 }],
    ['after two logins', old, { logins: 2 }, logIn, { unauthorized: 1 }],
    ['in a cool-down', isCoolingDown, {}, early, { unauthorized: 1 }],
    ['while a call rechecks the session', running, {}, recheck, { unauthorized: 1 }],
    ['while a call rechecks it in a cool-down', { ...running, ...isCoolingDown }, {}, recheck, { unauthorized: 1 }],
  ];
  const second: Row[] = [
    ['young', young, { unauthorized: 1, logins: 1 }, recheck, { unauthorized: 2 }],
    ['young, after two logins', young, { unauthorized: 1, logins: 2 }, recheck, { unauthorized: 2 }],
    ['young, with no grace', { ...young, graceMs: 0 }, { unauthorized: 1, logins: 1 }, logIn, { unauthorized: 2 }],
    ['old, after no login', old, { unauthorized: 1 }, logIn, { unauthorized: 2 }],
    ['old, after one login', old, { unauthorized: 1, logins: 1 }, logIn, { unauthorized: 2 }],
    ['old, after two logins', old, { unauthorized: 1, logins: 2 }, neverAccepted, { unauthorized: 2 }],
    ['old, after three', old, { unauthorized: 1, logins: 3 }, neverAccepted, { unauthorized: 2 }],
    ['old, in a cool-down', { ...old, ...isCoolingDown }, { unauthorized: 1, logins: 1 }, early, { unauthorized: 2 }],
    [
      'young, in a cool-down: a recheck is no login',
      { ...young, ...isCoolingDown },
      { unauthorized: 1, logins: 1 },
      recheck,
      { unauthorized: 2 },
    ],
    ['while a call rechecks it', running, { unauthorized: 1, logins: 1 }, recheck, { unauthorized: 2 }],
    ['old, while a call rechecks it', { ...old, ...running }, { unauthorized: 1 }, recheck, { unauthorized: 2 }],
    [
      'old, while a call rechecks it, after two logins',
      { ...old, ...running },
      { unauthorized: 1, logins: 2 },
      neverAccepted,
      { unauthorized: 2 },
    ],
    ['adopted and young', { ...adopted, ...young }, { unauthorized: 1 }, recheck, { unauthorized: 2 }],
  ];
  const third: Row[] = [
    ['young', young, { unauthorized: 2, logins: 1 }, neverAccepted, { unauthorized: 3 }],
    ['old, after one login', old, { unauthorized: 2, logins: 1 }, neverAccepted, { unauthorized: 3 }],
    ['while a call rechecks it', running, { unauthorized: 2, logins: 1 }, neverAccepted, { unauthorized: 3 }],
    ['in a cool-down', isCoolingDown, { unauthorized: 2, logins: 1 }, neverAccepted, { unauthorized: 3 }],
  ];
  const ended: Row[] = [
    ['others got through with it', accepted, { unauthorized: 1 }, logIn, { endedSessions: 1 }],
    [
      'others got through, long ago',
      { ...accepted, ...old },
      { unauthorized: 1, logins: 5 },
      logIn,
      { endedSessions: 1 },
    ],
    ['adopted, and old', { ...adopted, ...old }, { unauthorized: 1, logins: 5 }, logIn, { endedSessions: 1 }],
    [
      'adopted, old, and the sixth of those that nobody got through with: it counts',
      { ...adopted, ...old },
      { unauthorized: 1, endedSessions: 5, logins: 5 },
      neverAccepted,
      { unauthorized: 2 },
    ],
    ['the tenth time', accepted, { unauthorized: 1, endedSessions: 9 }, logIn, { endedSessions: 10 }],
    ['the eleventh time it counts', accepted, { unauthorized: 1, endedSessions: 10 }, recheck, { unauthorized: 2 }],
    [
      'the eleventh time it counts, and so do logins',
      { ...accepted, ...old },
      { unauthorized: 1, endedSessions: 10, logins: 6 },
      neverAccepted,
      { unauthorized: 2 },
    ],
    ['after a second 401', accepted, { unauthorized: 2, logins: 1 }, recheck, { endedSessions: 1 }],
    ['in a cool-down', { ...accepted, ...isCoolingDown }, { unauthorized: 1 }, early, { endedSessions: 1 }],
    ['while a call rechecks it', { ...accepted, ...running }, { unauthorized: 1 }, recheck, { endedSessions: 1 }],
  ];
  const rechecks: Row[] = [
    ['of this call: final', failedByThis, { unauthorized: 2, logins: 1 }, neverAccepted, {}],
    ['of this call, after its first 401', failedByThis, { unauthorized: 1, logins: 1 }, neverAccepted, {}],
    ['of this call, with an adopted session', { ...failedByThis, ...adopted }, { unauthorized: 2 }, logIn, {}],
    [
      'of this call, with an adopted session that others got through with',
      { ...failedByThis, ...adopted, ...accepted },
      { unauthorized: 2 },
      logIn,
      { endedSessions: 1 },
    ],
    [
      'of this call, though others got through',
      { ...failedByThis, ...accepted },
      { unauthorized: 2 },
      logIn,
      { endedSessions: 1 },
    ],
    [
      'of this call, though others got through for the eleventh time',
      { ...failedByThis, ...accepted },
      { unauthorized: 2, endedSessions: 10 },
      neverAccepted,
      {},
    ],
    [
      'of another call: final for this one',
      { ...failedRecheck, ...young },
      { unauthorized: 2, logins: 1 },
      neverAccepted,
      {},
    ],
    ['of another call, with an adopted session', { ...failedRecheck, ...adopted }, { unauthorized: 2 }, logIn, {}],
    [
      'of another call, though others got through',
      { ...failedRecheck, ...accepted },
      { unauthorized: 2 },
      logIn,
      { endedSessions: 1 },
    ],
    ['of another call, after the first 401 of this one', failedRecheck, { unauthorized: 1, logins: 1 }, logIn, {}],
    ['the same in a cool-down', { ...failedRecheck, ...isCoolingDown }, { unauthorized: 1, logins: 1 }, early, {}],
    ['of another call, with an old session', { ...failedRecheck, ...old }, { unauthorized: 2, logins: 1 }, logIn, {}],
    ['the same after two logins', { ...failedRecheck, ...old }, { unauthorized: 2, logins: 2 }, neverAccepted, {}],
    ['of another call, after three 401s', failedRecheck, { unauthorized: 3, logins: 1 }, neverAccepted, {}],
  ];

  const tables = { first, second, third, 'of a session that has ended': ended, 'after a failed recheck': rechecks };
  for (const [name, rows] of Object.entries(tables)) {
    it.each(rows)(`${name}: %s`, (_name, session, before, expected, changes) => {
      const given = facts('unauthorized', { status: 401, session: { ...own, ...session } });
      const history = past({ ...before, ...changes });
      expect(react(past(before), given)).toEqual({ reaction: expected, history });
      // Whatever its method, and with `retries: 0` (G7, G5).
      expect(react(past(before), { ...given, ...post, ...noRetries })).toEqual({ reaction: expected, history });
    });
  }

  it.each<[string, Partial<SessionFacts>, Partial<History>, Reaction]>([
    ['ends the session for the others', {}, {}, { ...failUsedUp, session: 'ended' }],
    ['ends an old one', old, { unauthorized: 1, logins: 1 }, { ...failUsedUp, session: 'ended' }],
    ['leaves one that somebody tries', running, {}, failUsedUp],
    ['leaves one that is young', young, { unauthorized: 1, logins: 1 }, failUsedUp],
    ['leaves one in a cool-down', isCoolingDown, {}, failUsedUp],
  ])('a stream is not sent again, and its 401 %s (G8)', (_name, session, before, expected) => {
    const given = facts('unauthorized', { ...usedUp, session: { ...own, ...session } });
    expect(react(past(before), given).reaction).toEqual(expected);
  });
});

describe('what has been met', () => {
  it('is not changed in place', () => {
    const before = Object.freeze(past({ unauthorized: 1 }));
    expect(() => react(before, facts('failed'))).not.toThrow();
    expect(noHistory).toEqual({ unauthorized: 0, logins: 0, endedSessions: 0, retries: 0 });
  });
});
