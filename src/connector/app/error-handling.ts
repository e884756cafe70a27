import type { Context } from 'hono';
import { isConnectorError, type SessionParameter } from '../../contract/index.js';
import type { ErrorAnswer, WriteError } from '../errors/error-writer.js';
import { answerWithHono, dropBarredHeader, rewrite } from '../errors/hono-response.js';
import type { RateLimitHeader } from '../errors/options.js';
import { headerSecrets, parameterSecrets as readParameterSecrets } from '../errors/redact.js';
import { originalError } from '../errors/responses.js';
import { translated } from '../errors/translate.js';
import type { createAnnouncer } from '../request/announce-policy.js';
import {
  askedHeaders,
  bodyRefusal,
  errorAnswer,
  isResponse,
  openPath,
  reportLate,
  type Shared,
} from '../request/request-state.js';
import type { ConnectorOptions } from './connector-options.js';
import { putBackSession, takeSession } from './guard-handler.js';
import { readReturnedError, replaceResponse } from './returned-error.js';

type Hooks = Pick<ConnectorOptions<never, never>, 'onError' | 'translate'>;

interface Setting extends Hooks {
  readonly mark: symbol;
  readonly sessionNames: readonly string[];
  readonly rateLimit: RateLimitHeader;
  readonly writeError: WriteError;
  readonly announce: ReturnType<typeof createAnnouncer>;
}

/** How one connector answers what goes wrong, whoever says so: by throwing, by one of the helpers, or by a response. */
export function createAnswers({ mark, sessionNames, rateLimit, writeError, announce, onError, translate }: Setting) {
  const parameterSecrets = new WeakMap<Context, string[]>();
  // Requests bring values and no marks, so the marks are those of the logins: open is what none has marked as a secret.
  let secretNames = sessionNames;
  const open = new Map<string, boolean>();

  const write = (thrown: unknown, c: Context): ErrorAnswer => {
    const { headers } = c.req.raw;
    const secrets = headerSecrets((name) => headers.get(name), (c as Shared)[askedHeaders] ?? secretNames);
    const answer = writeError(thrown, [...secrets, ...(parameterSecrets.get(c) ?? [])]);
    (c as Shared)[errorAnswer] = answer;
    return answer;
  };
  const fail = (thrown: unknown, c: Context): Response => announce(answerWithHono(c, write(thrown, c)), c);
  const report = (thrown: unknown, c: Context) => {
    const outer = takeSession(c, mark);
    tell(onError, thrown, c);
    putBackSession(c, outer);
  };
  const finish = (returned: unknown, c: Context) => {
    const answered = (c as Shared)[errorAnswer];
    // Middleware that ends in `return next()` returns the context.
    if (answered) dropBarredHeader(isResponse(returned) ? returned : c.res, answered);
    return announce(returned, c);
  };

  return {
    fail,
    /** Answers what was thrown; `onError` hears of it. */
    answer(thrown: unknown, c: Context): Response {
      report(abandoned(thrown, c), c);
      return fail((c as Shared)[bodyRefusal] ?? translated(translate, thrown, c), c);
    },
    /**
     * What counts instead of what a handler returned.
     *
     * @throws ConnectorError where a body was too large and the handler made something else of it.
     */
    leave(returned: unknown, c: Context): unknown {
      const response = isResponse(returned) ? returned : c.finalized ? c.res : undefined;
      const refusal = (c as Shared)[bodyRefusal];
      if (refusal && response?.status !== 413) throw refusal;
      const original = originalError(returned as Response);
      if (original) return finish(rewrite(returned as Response, write(original.thrown, c)), c);
      const shared = c as Shared;
      if (shared[errorAnswer] !== undefined || shared[openPath]) return finish(returned, c);
      if (response === undefined || response.status < 400) return finish(returned, c);
      return readReturnedError(response, rateLimit).then((read) => {
        if (read.error) report(read.error, c);
        const result = read.error ? replaceResponse(response, write(read.error, c)) : read.response;
        if (isResponse(returned)) return finish(result, c);
        c.res = undefined;
        c.res = result;
        return finish(returned, c);
      });
    },
    /** Hears what was given to initialize: it must not leave in an error. */
    given: (c: Context, body: unknown) => void parameterSecrets.set(c, readParameterSecrets(body)),
    /** Hears what a login hands out. */
    handedOut(parameters: readonly SessionParameter[]): void {
      for (const { key, sensitive } of parameters) {
        const name = key.toLowerCase();
        open.set(name, !sensitive && open.get(name) !== false);
      }
      secretNames = sessionNames.filter((name) => !open.get(name.toLowerCase()));
    },
    /** Has the values of this connector's session kept out of errors, beside those of connectors around it. */
    ask(c: Context): void {
      (c as Shared)[reportLate] = report;
      const asked = (c as Shared)[askedHeaders];
      (c as Shared)[askedHeaders] = asked === undefined ? secretNames : [...asked, ...secretNames];
    },
  };
}

function tell(onError: Hooks['onError'], thrown: unknown, c: Context): void {
  try {
    const result = onError?.(thrown, c);
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // A log that fails must not take the answer with it.
  }
}

/**
 * What a handler throws because the service has gone away is no failure of the connector. Servers abort with any reason, a
 * text among them, and a log has to tell the two apart.
 */
function abandoned(thrown: unknown, c: Context): unknown {
  const isLikely =
    !(thrown instanceof Error) ||
    thrown.name === 'AbortError' ||
    (isConnectorError(thrown) && (thrown as Error).cause !== undefined);
  if (!isLikely) return thrown;
  const { signal } = c.req.raw;
  const { cause, name } = (thrown ?? {}) as { cause?: unknown; name?: unknown };
  const isIt = signal.aborted && (thrown === signal.reason || cause === signal.reason || name === 'AbortError');
  if (!isIt) return thrown;
  return new DOMException('The service went away before it was answered.', {
    name: 'AbortError',
    cause: thrown,
  } as never);
}
