import type { Theme } from '../arbitrary-schedule.js';
import type { Mutant, Patch } from './mutants.js';

/** A client that breaks one rule of liveness, waste or sharing. */
interface LivenessMutant extends Mutant {
  /** What the patch takes away, in words that outlive the source: whoever changes the source finds the place again by it. */
  intent: string;
  themes: readonly Theme[];
}

const patch = (file: string, find: string, replace: string): Patch => ({ file: `client/${file}.ts`, find, replace });
const mutant = (
  themes: readonly Theme[],
  rule: string,
  wrong: string,
  intent: string,
  ...patches: Patch[]
): LivenessMutant => ({ themes, rule, wrong, intent, patches });

export const livenessMutants: readonly LivenessMutant[] = [
  mutant(
    ['crowds'],
    'G9',
    'a quota may be learned as 0',
    'What a refusal teaches of a sliding window has no lower bound of 1: answers that are slower than the window leave 0.',
    patch('rate-limit/quota/estimate', 'limit: Math.max(1, sliding), unexplained: 0', 'limit: sliding, unexplained: 0'),
  ),
  mutant(
    ['crowds'],
    'G9',
    'nobody is woken who waits for room in the quota',
    'No timer is set where only what is known of the quota holds calls back and nothing is on its way.',
    patch(
      'rate-limit/quota/quota-watch',
      'if (quota === undefined) return;',
      'if (quota === undefined || inFlight >= 0) return;',
    ),
  ),
  mutant(
    ['crowds'],
    'G9',
    'nobody is woken if a window ends while the client makes up its mind',
    'The quota is asked a second time, with a later reading of the clock, and its other answer sets no timer.',
    patch(
      'rate-limit/quota/quota-watch',
      'if (quota === undefined) return;',
      'if (quota === undefined || quota.mayStart(inFlight, clock.monotonic())) return;',
    ),
  ),
  mutant(
    ['crowds'],
    'G9',
    'who waits for room in the quota is woken after ten minutes',
    'The longest time for which the quota alone may hold everybody back is 600 s instead of 60 s, and always that.',
    patch(
      'rate-limit/quota/quota-watch',
      'Math.max(1, Math.min(quota.roomInMs(now), overdueInMs))',
      'overdueInMs + 540_000',
    ),
  ),
  mutant(
    ['crowds'],
    'G9',
    'who waits for room in the quota is woken after a minute although there is room sooner',
    'The time at which the oldest request falls out of the window is not asked for.',
    patch('rate-limit/quota/quota-watch', 'Math.max(1, Math.min(quota.roomInMs(now), overdueInMs))', 'overdueInMs'),
  ),
  mutant(
    ['crowds'],
    'G9',
    'a request that a limit has refused keeps its place among those on their way',
    'A refusal does not release its permit, so `concurrency` is used up by refusals.',
    patch(
      'rate-limit/gate',
      '    const isSameLimit = this.#takeBack(lane, permit);',
      '    const isSameLimit = permit.epoch !== this.#epoch;',
    ),
  ),
  mutant(
    ['crowds'],
    'G9',
    'nobody is let through at the end of a pause',
    'The gate opens and wakes nobody; those who wait go when somebody new comes, or never.',
    patch(
      'rate-limit/gate',
      '    this.pump();\n  }\n\n  #describePause',
      '    this.#watch.emitChange();\n  }\n\n  #describePause',
    ),
  ),
  mutant(
    ['crowds'],
    'G3',
    'many more go than the quota that is known allows',
    'Where the boundary of a known quota lies is overestimated by far, in each window.',
    patch(
      'rate-limit/quota/learned',
      'const beyond = passed + this.#inFlight - estimate.limit;',
      'const beyond = passed + this.#inFlight - 4 * estimate.limit - 8;',
    ),
  ),
  mutant(
    ['snapshots'],
    'G9',
    'a snapshot has fractions of milliseconds',
    'What is told of a learned window is not rounded, so a snapshot with it is refused by the next client.',
    patch(
      'rate-limit/quota/quota-watch',
      'return quota && { limit: Math.max(1, Math.floor(quota.limit)), windowMs: Math.round(quota.windowMs) };',
      'return quota && { limit: Math.max(1, Math.floor(quota.limit)), windowMs: quota.windowMs };',
    ),
  ),
  mutant(
    ['snapshots'],
    'G9',
    'a snapshot has its quotas of one scope only',
    'Where there are several gates, what was learned at all but the first is not restored.',
    patch(
      'rate-limit/gates',
      'for (const { scope, limit, windowMs } of snapshot.quotas) this',
      'for (const { scope, limit, windowMs } of snapshot.quotas.slice(0, 1)) this',
    ),
  ),
  mutant(
    ['snapshots'],
    'W7',
    'a pause that a snapshot tells of ends half a second early',
    'The next client waits for less than what the limit asked for.',
    patch(
      'rate-limit/gates',
      'const resumeAt = new Date(pause.resumeAt);',
      'const resumeAt = new Date(Date.parse(pause.resumeAt) - 500);',
    ),
  ),
  mutant(
    ['snapshots'],
    'W7',
    'a snapshot does not tell of pauses',
    'The next client knows the quotas, and sends in a pause that is on.',
    patch('rate-limit/gates', 'pause.askedUntil === undefined', 'pause.askedUntil !== null'),
  ),
  mutant(
    ['reject'],
    'G1',
    "with `onLimit: 'reject'`, those wait who waited when the limit was met",
    'A limit turns away who comes later, and not who is in line already.',
    patch('rate-limit/wait-limits', "limits.onLimit === 'reject' || remainingMs", 'remainingMs'),
  ),
  mutant(
    ['reject'],
    'W7',
    'a call is told to come back before the limit has ended',
    'The `resumeAt` of a `RateLimitError` is earlier than the end that the limit asked for.',
    patch(
      'rate-limit/wait-limits',
      '    resumeAt,\n    code: content?.code,',
      '    resumeAt: new Date(resumeAt.getTime() - 400),\n    code: content?.code,',
    ),
  ),
  mutant(
    ['scopes'],
    'G1',
    'a limit of one scope pauses another',
    'All requests pass one gate, whatever `rateLimit.scope` says of them.',
    patch('rate-limit/gates', 'scopeOf({ method, path: withoutQuery(path) })', "'s0'"),
  ),
  mutant(
    ['leases'],
    'G9',
    'a state without an answer is waited for',
    'A process whose question was lost holds its calls back for ever.',
    patch('rate-limit/quota/leased', 'now >= this.#askedAt + this.#answerMs', 'this.#askedAt < 0'),
  ),
  mutant(
    ['leases'],
    'G9',
    'a quota of nothing is told while the state has not answered',
    'When the gate opens permits are needed, although the state knows no quota yet.',
    patch('rate-limit/quota/leased', 'this.#lease && this.#lease.limit > 0', 'this.#lease'),
  ),
  mutant(
    ['fleet'],
    'S4',
    'a client logs in although another of the fleet has done so',
    'A state does not hand out the newer session that it has.',
    patch('session/state', 'session.generation <= than', 'session.generation <= than + 1e9'),
  ),
  mutant(
    ['fleet'],
    'W7',
    'a pause is not told to the other clients',
    'Clients with one state keep to the limits that they have met themselves.',
    patch('session/state', 'for (const listener of listeners) listener(pause);\n    },', '},'),
  ),
  mutant(
    ['fleet'],
    'S4',
    'an adopted session that has ended is a verdict',
    'What another client has logged in and used is taken for a fresh session of its own, and the recheck of it for the last word.',
    patch(
      'session/session',
      'const { generation, headers, ageMs = adopted ? Number.POSITIVE_INFINITY : 0 } = shared;',
      'const { generation, headers } = shared; const ageMs = 0;',
    ),
    patch('session/session', 'if (known?.generation === generation) return known;', ''),
    patch(
      'call/react',
      "adopted ? { type: 'log in' } : { type: 'fail', session: 'never accepted' }",
      "{ type: 'fail', session: 'never accepted' }",
    ),
  ),
  mutant(
    ['fleet'],
    'G1',
    'calls fail with the login that another client has given up',
    'Who waits for the login of a client that is closed does not take its turn.',
    patch(
      'session/renew',
      "if (own === undefined && isErrorOf(error, 'AbandonedLogin') && !signal.aborted) continue;",
      "if (own === undefined && isErrorOf(error, 'AbandonedLogin')) throw new Error('given up');",
    ),
  ),
];
