import { type CaseDefinition, isOneOf, isSuccess } from '../case.js';
import type { ReadyRequest } from '../probes.js';
import { CannotCheck, type Prober, type Session } from '../probing/prober.js';
import { lacksProbe, lacksSession } from '../probing/samples.js';

/** The end of a connection (rule S1). */
export const cleanupCases: CaseDefinition[] = [
  {
    id: 'cleanup.answers',
    rule: 'S1',
    feature: 'cleanup',
    title: 'cleanup succeeds with a session',
    why: 'The service calls it when it closes a connection, and reports what fails.',
    lacks: lacksSession,
    async check(judge) {
      judge.status((await cleanUp(judge.prober)).seen, isSuccess, 'a success (2xx)');
    },
  },
  {
    id: 'cleanup.ends-session',
    rule: 'S1',
    feature: 'cleanup',
    severity: 'warning',
    title: 'After cleanup the session is refused with 401',
    why: 'A session that outlives its connection is one that somebody may find.',
    lacks: (prober) => lacksSession(prober) ?? lacksProbe(prober, 'readable'),
    async check(judge) {
      const { seen, session } = await cleanUp(judge.prober);
      if (!isSuccess(seen.response?.status ?? 0)) throw new CannotCheck('could not be checked: cleanup fails');
      judge.status(await judge.prober.send(judge.settings.readable as ReadyRequest, session), isOneOf(401), '401');
    },
  },
  {
    id: 'cleanup.without-session',
    rule: 'E2',
    feature: 'cleanup',
    title: 'cleanup without a session does not make the connector fail',
    why: 'A connection is closed in all states, also when its session has ended by itself.',
    async check(judge) {
      const seen = await judge.prober.send(toCleanup(judge.prober));
      judge.status(seen, (status) => isSuccess(status) || (status >= 400 && status < 500), 'a success, or 401');
    },
  },
];

const toCleanup = ({ settings }: Prober) => ({
  method: 'POST',
  path: settings.cleanupPath,
  headers: {},
  body: undefined,
});

/** Cleans up after a session of its own: the shared one is still needed. */
function cleanUp(prober: Prober) {
  return prober.once('cleanup', async () => {
    const session: Session = prober.toSession(await prober.logIn(prober.settings.initialize.parameters));
    return { session, seen: await prober.send(toCleanup(prober), session) };
  });
}
