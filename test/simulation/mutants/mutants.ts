import type { Theme } from '../arbitrary-schedule.js';

/** One place of the source, changed so that a rule no longer holds. */
export interface Patch {
  /** Below src/. */
  file: string;
  /** Occurs exactly once in the file: a patch that no longer fits fails instead of proving nothing. */
  find: string;
  replace: string;
}

/** A client that breaks one rule. */
export interface Mutant {
  /** The rule by which the simulation has to name it. */
  rule: string;
  /** What the client does wrong. */
  wrong: string;
  patches: Patch[];
  /** Where to look for it. @default the themes with few calls, and `crowds` */
  themes?: readonly Theme[];
}

const patch = (file: string, find: string, replace: string): Patch => ({ file: `client/${file}.ts`, find, replace });
const mutant = (rule: string, wrong: string, ...patches: Patch[]): Mutant => ({ rule, wrong, patches });

export const mutants: readonly Mutant[] = [
  mutant(
    'S3',
    'everybody who needs a session logs in for himself',
    patch('session', 'this.#running ??= this.#start();', 'this.#running = this.#start();'),
    patch('state', 'login ??= run()', 'login = run()'),
  ),
  mutant(
    'S4',
    'a late 401 ends the newer session',
    patch(
      'session',
      'if (this.#current?.generation === session.generation) this.#current = undefined;',
      'this.#current = undefined;',
    ),
  ),
  mutant(
    'S4',
    'a session that was replaced meanwhile is sent all the same',
    patch(
      'try',
      'return this.call.gate.isCurrent(ticket) && this.#sessions.current?.generation === session.generation;',
      'return this.call.gate.isCurrent(ticket);',
    ),
  ),
  mutant(
    'S4',
    'a 401 is never a verdict',
    patch('session', "if (met > 2) return 'verdict';", ''),
    patch('session', "return logins < 2 ? 'renew' : 'verdict';", "return 'renew';"),
  ),
  mutant(
    'S4',
    'the first 401 is a verdict',
    patch('session', "if (met === 1) return 'renew';", "if (met === 1) return 'verdict';"),
  ),
  mutant(
    'S4',
    'a fresh session that was refused is tried again at once',
    patch('call', 'const freshSessionDelayMs = 1000;', 'const freshSessionDelayMs = 0;'),
  ),
  mutant(
    'S5',
    'a login carries the session before it',
    patch(
      'session',
      'this.#current = session;',
      'this.#current = session; (globalThis as any).staleSession = session.headers;',
    ),
    patch(
      'initialize',
      'toHeaderRecord(options.headers, source.contentType)',
      '{ ...toHeaderRecord(options.headers, source.contentType), ...(globalThis as any).staleSession }',
    ),
  ),
  mutant(
    'S5',
    'a refused login has no cool-down',
    patch('session', 'until: clock.monotonic() + loginCooldownMs', 'until: clock.monotonic()'),
  ),
  mutant(
    'S5',
    'logins that come to nothing have no cool-down',
    patch(
      'session',
      'const cooldownMs = Math.min(1000 * 2 ** inARow, loginCooldownMs);',
      'const cooldownMs = inARow * 0;',
    ),
  ),
  mutant(
    'S5',
    'a login that fails in passing is given up',
    patch('initialize', 'isTransient(error) && this.#spentMs < timeoutMs', 'false && isTransient(error)'),
  ),
  mutant(
    'S5',
    'a refused login is tried again',
    patch(
      'initialize',
      'isTransient(error) && this.#spentMs < timeoutMs',
      '(error as any).kind !== "rate-limit" && this.#spentMs < timeoutMs',
    ),
  ),
  mutant(
    'S6',
    'a login that hangs is waited for',
    patch('initialize', 'timeoutMs: Math.max(1, timeoutMs - this.#spentMs),', 'timeoutMs: 86_400_000,'),
  ),
  mutant(
    'S7',
    'errors repeat what the connector echoes',
    patch('read-response', 'createRedact(secrets)', 'createRedact([])'),
  ),
  mutant(
    'G1',
    'requests that wait for a socket go out during a pause',
    patch(
      'try',
      'return this.call.gate.isCurrent(ticket) && this.#sessions.current?.generation === session.generation;',
      'return this.#sessions.current?.generation === session.generation;',
    ),
  ),
  mutant(
    'G1',
    'logins go out during a pause',
    patch(
      'gate',
      'if (this.#closedUntil !== undefined || this.#epochInFlight >= this.#allowed) return false;',
      'if (!isLogin && (this.#closedUntil !== undefined || this.#epochInFlight >= this.#allowed)) return false;',
    ),
  ),
  mutant(
    'G2',
    'the last limit decides, even where it is shorter',
    patch('gate', 'if (before === undefined || until > before) {', 'if (before === undefined || until !== before) {'),
    // The timer that runs already is for the longer one.
    patch(
      'gate',
      'if (isLonger) this.#refuseWaiters();',
      'if (isLonger) this.#refuseWaiters(); if (before !== undefined) { this.#timer?.cancel(); this.#arm(); }',
    ),
  ),
  mutant(
    'W7',
    'a pause that has grown ends when it was to end at first',
    patch('gate', 'if (this.#remainingMs() > 0) {', 'if (this.#remainingMs() > 1e15) {'),
  ),
  mutant(
    'W7',
    'waits are capped',
    patch('gate', 'const until = now + totalMs;', 'const until = now + Math.min(totalMs, 1500);'),
  ),
  mutant(
    'W7',
    'jitter shortens waits',
    patch('limit-wait', 'return waitMs + Math.random()', 'return waitMs - Math.random()'),
  ),
  mutant(
    'G3',
    'after a pause everybody goes at once',
    patch('gate', '      this.#allowed = 1;', '      this.#allowed = Number.POSITIVE_INFINITY;'),
  ),
  mutant(
    'G4',
    'an abort is not noticed by those who wait for the gate',
    patch(
      'wait-queue',
      "if (entry.earlier === undefined) signal.addEventListener('abort', this.#onAbort, { once: true });",
      'if (entry.earlier === undefined) void signal;',
    ),
  ),
  mutant(
    'G4',
    'whoever waited for the gate leaves a listener behind',
    patch('wait-queue', "signal.removeEventListener('abort', this.#onAbort);", ''),
  ),
  mutant(
    'G4',
    'a pause keeps the process alive although nobody waits',
    patch('gate', 'this.#timer?.hold(isAwaited);', ''),
  ),
  mutant(
    'G5',
    'one retry less than the option says',
    patch('retry', 'retries: options.retry.retries,', 'retries: Math.max(0, options.retry.retries - 1),'),
  ),
  mutant(
    'G5',
    'the sum of waits has no bound',
    patch('parking', 'if (waitedMs + remainingMs > limits.maxTotalWaitMs)', 'if (remainingMs > 2 ** 40)'),
  ),
  mutant(
    'G7',
    'a POST is retried after a failure',
    patch('retry', 'return declared ?? idempotentMethods.has(method);', 'return declared !== true || method !== "";'),
  ),
  mutant(
    'G8',
    'a stream that is used up is sent again',
    patch(
      'request-body',
      'return this.#source.factory !== undefined || !this.#used || !isStream(this.#source.fixed);',
      'return this.#source.factory !== undefined || !this.#used || isStream(this.#source.fixed) || true;',
    ),
  ),
  mutant(
    'G9',
    'a quota that was learned as 0 keeps everybody waiting',
    patch('pacing', 'limit: Math.max(1, sliding), doubts: 0', 'limit: sliding, doubts: 0'),
    patch('gate', 'if (this.#inFlight === 0 && this.#heldLongEnough) return true;', ''),
  ),
  mutant(
    'W2',
    'a denial is taken for a limit',
    patch(
      'read-response',
      '(status === 403 || status === 503) && wait !== undefined',
      'status === 403 || (status === 503 && wait !== undefined)',
    ),
  ),
  mutant(
    'W5',
    "times are measured by the client's calendar only",
    patch('read-response', "date: headerValue(headers, 'date'),", ''),
  ),
  mutant(
    'W5',
    'a connector that says "now" for ever is asked in a tight loop',
    patch(
      'limit-wait',
      'totalMs: Math.max(this.jittered(chosen), floorMs)',
      'totalMs: this.jittered(chosen + 0 * floorMs)',
    ),
  ),
  mutant(
    'W6',
    "waits of the client's own choosing do not grow",
    patch('limit-wait', 'fallbackWaitMs * 2 ** Math.min(repeats, 30)', 'fallbackWaitMs + 0 * repeats'),
  ),
  mutant(
    'W6',
    'a wait of its own choosing is shown as one of the connector',
    patch('gate', "waitMs === undefined ? 'fallback' : 'header'", "waitMs === undefined ? 'header' : 'header'"),
  ),
  mutant(
    'close',
    'calls that wait for the gate are forgotten',
    patch('gate', '    this.#queue.rejectWhere(error);', ''),
  ),
  mutant(
    'close',
    'calls that wait for a login are forgotten',
    patch('session', '    this.#closing.abort(error());', ''),
  ),
  mutant(
    'pacing',
    'what was learned of the quota is not heeded',
    patch('gate', 'return this.#pacing?.mayStart(now) ?? true;', 'return true;'),
  ),
];
