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
    patch('session/session', 'this.#running ??= this.#start();', 'this.#running = this.#start();'),
    patch('session/state', 'login ??= run()', 'login = run()'),
  ),
  mutant(
    'S4',
    'a late 401 ends the newer session',
    patch(
      'session/session',
      'if (this.#current?.generation === session.generation) this.#current = undefined;',
      'this.#current = undefined;',
    ),
  ),
  mutant(
    'S4',
    'a session that was replaced meanwhile is sent all the same',
    patch(
      'call/call',
      'mayStart: () => lane.isCurrent(permit) && sessions.current?.generation === session.generation,',
      'mayStart: () => lane.isCurrent(permit),',
    ),
  ),
  mutant(
    'S4',
    'a 401 is never a verdict',
    patch('call/react', "if (unauthorized > 2) return 'give up';", ''),
    patch('call/react', "return logins < 2 ? 'log in' : 'give up';", "return 'log in';"),
  ),
  mutant(
    'S4',
    'the first 401 is a verdict',
    patch('call/react', "if (unauthorized === 1) return 'log in';", "if (unauthorized === 1) return 'give up';"),
  ),
  mutant(
    'S4',
    'a fresh session that was refused is tried again at once',
    patch('session/session', 'const freshSessionDelayMs = 1000;', 'const freshSessionDelayMs = 0;'),
  ),
  mutant(
    'S5',
    'a login carries the session before it',
    patch(
      'session/session',
      'this.#current = session;',
      'this.#current = session; (globalThis as any).staleSession = session.headers;',
    ),
    patch(
      'call/login-run',
      'toHeaderRecord(context.settings.headers, options.headers, body)',
      '{ ...toHeaderRecord(context.settings.headers, options.headers, body), ...(globalThis as any).staleSession }',
    ),
  ),
  mutant(
    'S5',
    'a refused login has no cool-down',
    patch('session/session', 'clock.monotonic() + Math.min(leftMs, loginCooldownMs)', 'clock.monotonic()'),
    patch('session/state', 'refusal?.clock === clock', 'refusal?.until === 0'),
  ),
  mutant(
    'S5',
    'logins that come to nothing have no cool-down',
    patch(
      'session/session',
      'const cooldownMs = Math.min(1000 * 2 ** inARow, loginCooldownMs);',
      'const cooldownMs = inARow * 0;',
    ),
  ),
  mutant(
    'S5',
    'a login that fails in passing is given up',
    patch('call/login-run', 'retriesLeft: this.#leftMs > 0 &&', 'retriesLeft: this.#leftMs > 1e15 &&'),
  ),
  mutant(
    'S5',
    'a refused login is tried again',
    patch(
      'call/login-run',
      "if (reaction.type === 'send again') return;",
      "if (reaction.type === 'send again' || (kind === 'error' && this.#time.spentMs < 1000)) return;",
    ),
  ),
  mutant(
    'S6',
    'a login that hangs is waited for',
    patch('call/login-run', 'timeoutMs: Math.max(1, this.#leftMs),', 'timeoutMs: 86_400_000,'),
  ),
  mutant(
    'S7',
    'errors repeat what the connector echoes',
    patch('http/read-error', 'createRedact(secrets)', 'createRedact([])'),
  ),
  mutant(
    'G1',
    'requests that wait for a socket go out during a pause',
    patch(
      'call/call',
      'mayStart: () => lane.isCurrent(permit) && sessions.current?.generation === session.generation,',
      'mayStart: () => sessions.current?.generation === session.generation,',
    ),
  ),
  mutant(
    'G1',
    'logins go out during a pause',
    patch(
      'rate-limit/gate',
      'if (this.#pause.on || this.#epochInFlight >= this.#allowed) return false;',
      'if (!isLogin && (this.#pause.on || this.#epochInFlight >= this.#allowed)) return false;',
    ),
  ),
  mutant(
    'G2',
    'the last limit decides, even where it is shorter',
    patch(
      'rate-limit/pause',
      'if (before === undefined || until > before) {',
      'if (before !== undefined && until !== before) { this.stop(); this.#until = until; this.#arm(); } if (before === undefined) {',
    ),
  ),
  mutant(
    'W7',
    'a pause that has grown ends when it was to end at first',
    patch('rate-limit/pause', 'if (this.remainingMs > 0) {', 'if (this.remainingMs > 1e15) {'),
  ),
  mutant(
    'W7',
    'waits are capped',
    patch('rate-limit/pause', 'const until = now + totalMs;', 'const until = now + Math.min(totalMs, 1500);'),
  ),
  mutant(
    'W7',
    'jitter shortens waits',
    patch('rate-limit/pause', 'return waitMs + randomOf', 'return waitMs - randomOf'),
  ),
  mutant(
    'G3',
    'after a pause everybody goes at once',
    patch('rate-limit/gate', '      this.#allowed = 1;', '      this.#allowed = Number.POSITIVE_INFINITY;'),
  ),
  mutant(
    'G4',
    'an abort is not noticed by those who wait for the gate',
    patch('rate-limit/wait-queue', 'if (waiter.signal === undefined) return;', 'if (waiter.signal !== null) return;'),
  ),
  mutant('G4', 'whoever waited for the gate leaves a listener behind', patch('rate-limit/wait-queue', 'leave();', '')),
  mutant(
    'G4',
    'a pause keeps the process alive although nobody waits',
    patch('rate-limit/pause', '    this.#timer?.hold(isAwaited);', ''),
  ),
  mutant(
    'G5',
    'one retry less than the option says',
    patch(
      'call/call-run',
      ': settings.retry.retries - this.#history.retries,',
      ': settings.retry.retries - this.#history.retries - 1,',
    ),
  ),
  mutant(
    'G5',
    'the sum of waits has no bound',
    patch(
      'rate-limit/wait-limits',
      'if (waitedMs + remainingMs > limits.maxTotalWaitMs)',
      'if (remainingMs > 2 ** 40)',
    ),
  ),
  mutant(
    'G7',
    'a POST is retried after a failure',
    patch(
      'call/react',
      'return declared ?? idempotentMethods.has(method);',
      'return declared !== true || method !== "";',
    ),
  ),
  mutant(
    'G8',
    'a stream that is used up is sent again',
    patch('http/request-body', 'return !isStream(this.#source);', 'return true;'),
    patch('http/streamed-upload', 'if (isOnce && begun.has(body)) throw usedUp();', ''),
    patch('http/streamed-upload', 'if (wasRead && isEmpty) throw usedUp();', ''),
    patch(
      'http/streamed-upload',
      'void reader.cancel().catch(() => {});\n  }\n}',
      'void reader.cancel().catch(() => {});\n    reader.releaseLock();\n  }\n}',
    ),
  ),
  mutant(
    'G9',
    'a quota that was learned as 0 keeps everybody waiting',
    patch('rate-limit/quota/estimate', 'limit: Math.max(1, sliding), unexplained: 0', 'limit: sliding, unexplained: 0'),
    patch('rate-limit/gate', 'next?.grantNext(this.#grant(next, next.isLoginNext));', ''),
  ),
  mutant(
    'W2',
    'a denial is taken for a limit',
    patch(
      'call/run',
      '((status === 403 || status === 503) && hasWait(headers, waitHeader))',
      'status === 403 || (status === 503 && hasWait(headers, waitHeader))',
    ),
  ),
  mutant(
    'W5',
    "times are measured by the client's calendar only",
    patch('rate-limit/limit-headers', "const date = headerValue(headers, 'date');", 'const date = undefined;'),
  ),
  mutant(
    'W5',
    'a connector that says "now" for ever is asked in a tight loop',
    patch(
      'rate-limit/pause',
      'totalMs: Math.max(this.#addJitter(chosenMs), floorMs)',
      'totalMs: this.#addJitter(chosenMs + 0 * floorMs)',
    ),
  ),
  mutant(
    'W6',
    "waits of the client's own choosing do not grow",
    patch('rate-limit/pause', 'fallbackWaitMs * 2 ** Math.min(repeats, 30)', 'fallbackWaitMs + 0 * repeats'),
  ),
  mutant(
    'W6',
    'a wait of its own choosing is shown as one of the connector',
    patch(
      'rate-limit/gate',
      "waitMs === undefined ? 'fallback' : 'header'",
      "waitMs === undefined ? 'header' : 'header'",
    ),
  ),
  mutant(
    'close',
    'calls that wait for the gate are forgotten',
    patch('rate-limit/lane', '    this.#queue.rejectWhere(error);', ''),
  ),
  mutant(
    'close',
    'calls that wait for a login are forgotten',
    patch('session/session', 'abortable(running.promise, signal, closing)', 'abortable(running.promise, signal)'),
    patch('session/session', '    this.#running?.abandon.abort(new AbandonedLogin());', ''),
  ),
  mutant(
    'pacing',
    'what was learned of the quota is not heeded',
    patch('rate-limit/gate', '(this.#quota?.mayStart(this.#inFlight, now) ?? true)', 'true'),
  ),
];
