import { type Answer, emptyReply, errorReply, isBodyless, type Reply, textReply } from '../http/reply.js';
import type { Fault } from '../types.js';
import { type LimitHeader, limitHeaders } from '../wait-flaws.js';

export interface FaultContext {
  /** Processes the request as if nothing were wrong. */
  normal(): Promise<Answer>;
  /** Ends the request's session. */
  expire(): void;
  /** How this connector writes its limits, and what time it is. */
  limit: Omit<LimitHeader, 'waitMs'>;
}

const defaultHugeBytes = 128 * 1024 * 1024;
export const defaultLimitWaitMs = 1000;

/** What a fault makes of a request. */
export async function applyFault(fault: Fault, context: FaultContext): Promise<Reply> {
  switch (fault.kind) {
    case 'status':
      return errorReply(fault.status, fault);
    case 'limit': {
      const { status = 403, waitMs = defaultLimitWaitMs, header, format } = fault;
      const { limit } = context;
      return limitReply(status, { ...limit, header: header ?? limit.header, format: format ?? limit.format, waitMs });
    }
    case 'expired':
      context.expire();
      return errorReply(401, { code: 'SESSION_EXPIRED', message: 'The session has expired.' });
    case 'reset':
      if (fault.processed) await context.normal();
      return 'reset';
    case 'hang':
      return 'hang';
    case 'truncated':
      return { ...(await withBody(fault.status, context)), end: 'cut' };
    case 'never-ending':
      return { ...(await withBody(fault.status, context)), end: 'open' };
    case 'html':
      return textReply(fault.status ?? 502, page, { 'content-type': 'text/html; charset=utf-8' });
    case 'slow':
      return { ...(await context.normal()), delayMs: fault.delayMs };
    case 'huge':
      return {
        ...emptyReply(fault.status ?? 200),
        headers: [['content-type', 'application/octet-stream']],
        body: { chunk: new Uint8Array(64 * 1024).fill(0x61), bytes: fault.bytes ?? defaultHugeBytes },
      };
    case 'body':
      return textReply(fault.status ?? 200, fault.body, {
        'content-type': 'text/plain; charset=utf-8',
        ...lowerCase(fault.headers),
      });
  }
}

/** A 403 with the wait header: the limit has been reached (rule W2). */
export function limitReply(status: number, limit: LimitHeader): Answer {
  const answer = errorReply(status, { code: 'RATE_LIMITED', message: 'The rate limit has been reached.' });
  return { ...answer, headers: [...answer.headers, ...limitHeaders(limit)] };
}

const page = '<!doctype html>\n<title>Bad gateway</title>\n<h1>The proxy could not reach the connector</h1>\n';

/** Only an answer with a body can break off in it. */
async function withBody(status: number | undefined, context: FaultContext): Promise<Answer> {
  const answer = status === undefined || status < 400 ? await context.normal() : errorReply(status);
  if (!isBodyless(answer.status)) return answer;
  return { ...textReply(200, '{"deleted":true}', { 'content-type': 'application/json' }) };
}

function lowerCase(headers: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
