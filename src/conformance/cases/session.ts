import { sessionProblems, toSessionParameters } from '../../contract/index.js';
import { parseJson, sleep, systemClock } from '../../internal/index.js';
import { type CaseDefinition, isOneOf, isSuccess } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import { summarize } from '../probing/exchange.js';
import { CannotCheck, type Prober, sessionOf } from '../probing/prober.js';
import { lacksProbe, lacksRequest, lacksSample, lacksSession, takeSample } from '../probing/samples.js';

/** Logging in, and what becomes of a session. */
export const sessionCases: CaseDefinition[] = [
  {
    id: 'session.initialize',
    rule: 'S1',
    feature: 'session',
    title: 'initialize logs in with good parameters',
    why: 'Without a session there is no synchronization.',
    lacks: lacksSession,
    async check(judge) {
      judge.status(await judge.prober.login(), isSuccess, 'a success (2xx)');
    },
  },
  {
    id: 'session.answer',
    rule: 'S1',
    feature: 'session',
    title: 'initialize answers the session as an array of {key, value, sensitive}',
    why: 'Each entry becomes a header of every later request. Of what has another shape the service can make no session.',
    lacks: lacksSession,
    async check(judge) {
      const { login, value } = await answered(judge.prober);
      if (toSessionParameters(value) === undefined) {
        judge.problem(`${summarize(login)}: the body is no array of {key, value, sensitive} with texts in it`, login);
      } else if (Array.isArray(value) && !value.every((entry) => typeof entry.sensitive === 'boolean')) {
        judge.problem(`${summarize(login)}: an entry does not say whether it is \`sensitive\``, login);
      }
    },
  },
  {
    id: 'session.answer-is-array',
    rule: 'S1',
    feature: 'session',
    severity: 'warning',
    title: 'The session is an array, not a plain object',
    why: 'The service reads {"name": "value"} too, but an object cannot say which values are secret.',
    lacks: lacksSession,
    async check(judge) {
      const { login, value } = await answered(judge.prober);
      if (!Array.isArray(value)) judge.problem(`${summarize(login)}: the body is a plain object`, login);
    },
  },
  {
    id: 'session.header-safe',
    rule: 'S2',
    feature: 'session',
    title: 'The session can be sent as headers',
    why: 'A line break in a value, or a name such as Host, corrupts every later request. The service refuses the whole login.',
    lacks: lacksSession,
    async check(judge) {
      const { login, value } = await answered(judge.prober);
      for (const problem of sessionProblems(toSessionParameters(value) ?? [])) {
        judge.problem(`${summarize(login)}: ${problem}`, login);
      }
    },
  },
  {
    id: 'session.missing',
    rule: 'E2',
    feature: 'session',
    title: 'A request without a session is a 401',
    why: 'A 401 is the one thing that makes the service log in. Data without a session is open to everybody.',
    lacks: (prober) => lacksSample(prober, 'missing-session'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'missing-session'), isOneOf(401), '401');
    },
  },
  {
    id: 'session.dead',
    rule: 'E2',
    feature: 'session',
    title: 'A session that is not valid is a 401',
    why: 'On a 403 or 400 the service gives up instead of logging in again, and the synchronization stops when a session ends.',
    lacks: (prober) => lacksSample(prober, 'dead-session'),
    async check(judge) {
      judge.status(await takeSample(judge.prober, 'dead-session'), isOneOf(401), '401');
    },
  },
  {
    id: 'session.expired',
    rule: 'S4',
    feature: 'session',
    title: 'A session that has expired is a 401',
    why: 'It is how the service learns that it has to log in again, in the middle of a synchronization.',
    lacks: (prober) => lacksSession(prober) ?? lacksProbe(prober, 'readable') ?? lacksExpiry(prober),
    async check(judge) {
      const { prober, settings } = judge;
      const session = prober.toSession(await prober.logIn(settings.initialize.parameters));
      const readable = settings.readable as ReadyRequest;
      const before = await prober.send(readable, session);
      if (before.response?.status === 401) throw new CannotCheck('could not be checked: a new session is refused');
      await settings.expire?.action?.(session);
      if (settings.expire?.request !== undefined) await prober.send(settings.expire.request, session);
      await sleep(systemClock, settings.expire?.waitMs ?? 0);
      judge.status(await prober.send(readable, session), isOneOf(401), '401');
      prober.forgetSession(); // what ends one session may have ended them all
    },
  },
  {
    id: 'session.renewal',
    rule: 'S4',
    feature: 'session',
    title: 'Logging in again gives a session that works',
    why: 'The service logs in again whenever a session has ended. It must not have to wait for an old one to be forgotten.',
    lacks: (prober) => lacksSession(prober) ?? lacksProbe(prober, 'readable'),
    async check(judge) {
      const { prober, settings } = judge;
      await prober.session();
      const login = await prober.logIn(settings.initialize.parameters);
      judge.status(login, isSuccess, 'a success (2xx)');
      const again = sessionOf(login);
      if (again === undefined) return;
      const seen = await prober.send(settings.readable as ReadyRequest, prober.toSession(login));
      judge.status(seen, isSuccess, 'a success (2xx) with the new session');
    },
  },
  {
    id: 'session.wrong-password',
    rule: 'S5',
    feature: 'session',
    title: 'Wrong parameters are a 401 or a 400, without a session',
    why: 'These are final: the service stops and tells its user. Anything else is tried again, until the account is locked.',
    lacks: (prober) => lacksSample(prober, 'wrong-password'),
    async check(judge) {
      const seen = await takeSample(judge.prober, 'wrong-password');
      judge.status(seen, isOneOf(400, 401), '401 or 400');
      const value = parseJson(seen.response?.body ?? '');
      if (Array.isArray(value) && toSessionParameters(value)?.length) {
        judge.problem(`${summarize(seen)}: a session is in the body`, seen);
      }
    },
  },
];

/** The shared login and its body. @throws CannotCheck when it was refused: another case says so. */
async function answered(prober: Prober) {
  const login = await prober.login();
  const { response } = login;
  if (response === undefined || !isSuccess(response.status)) {
    throw new CannotCheck(`could not be checked: logging in failed (${summarize(login)})`);
  }
  return { login, value: parseJson(response.body) };
}

function lacksExpiry({ settings }: Prober): string | undefined {
  if (settings.expire === undefined) return 'needs `probes.expire`';
  return (
    settings.expire.request && lacksRequest(settings.expire.request, 'probes.expire.request', settings.allowWrites)
  );
}
