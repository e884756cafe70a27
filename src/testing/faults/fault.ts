import { isBodyless, isBytes, lowerCaseNames } from '../../internal/index.js';
import type { Fault } from '../fault-types.js';
import {
  discard,
  emptyReply,
  errorReply,
  type Reply,
  type SimulatedResponse,
  textReply,
  whole,
} from '../http/reply.js';
import { type LimitHeader, limitHeaders } from '../wait-flaws.js';
import { drawDelay } from './fault-schema.js';

export interface FaultContext {
  /** Processes the request as if nothing were wrong. */
  normal(): Promise<SimulatedResponse>;
  /** Ends the request's session. */
  expire(): void;
  /** For delays that are computed. */
  random: () => number;
  /** How this connector writes the wait header, and the current time. */
  limit: Omit<LimitHeader, 'waitMs'>;
}

const defaultHugeBytes = 128 * 1024 * 1024;
export const defaultLimitWaitMs = 1000;

export async function applyFault(fault: Fault, context: FaultContext): Promise<Reply> {
  // Drawn first, so that the order of arrival decides which number it is.
  const delayMs = fault.kind === 'hang' ? 0 : drawDelay(fault.delayMs, context.random, 'delayMs');
  return { ...(await undelayed(fault, context)), delayMs };
}

async function undelayed(fault: Fault, context: FaultContext): Promise<Reply> {
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
    case 'closed':
    case 'cut-head':
    case 'refused':
    case 'hang':
      if (fault.kind === 'cut-head' || ('processed' in fault && fault.processed)) discard(await context.normal());
      return { instead: fault.kind };
    case 'truncated':
      return { ...(await withBody(fault.status, context)), end: 'cut' };
    case 'never-ending':
      return { ...(await withBody(fault.status, context)), end: 'open' };
    case 'html':
      return textReply(fault.status ?? 502, page, { 'content-type': 'text/html; charset=utf-8' });
    case 'slow':
      return context.normal();
    case 'gzip':
      return compress(await context.normal());
    case 'huge':
      return {
        ...emptyReply(fault.status ?? 200),
        headers: [['content-type', 'application/octet-stream']],
        body: { chunk: new Uint8Array(64 * 1024).fill(0x61), bytes: fault.bytes ?? defaultHugeBytes },
      };
    case 'body':
      return textReply(fault.status ?? 200, fault.body, {
        'content-type': 'text/plain; charset=utf-8',
        ...lowerCaseNames(Object.entries(fault.headers ?? {})),
      });
  }
}

/** A 403 with the wait header: the rate limit has been reached (rule W2). */
export function limitReply(status: number, limit: LimitHeader): SimulatedResponse {
  const response = errorReply(status, { code: 'RATE_LIMITED', message: 'The rate limit has been reached.' });
  return { ...response, headers: [...response.headers, ...limitHeaders(limit)] };
}

const page = '<!doctype html>\n<title>Bad gateway</title>\n<h1>The proxy could not reach the connector</h1>\n';

/** A response with a body that can break off. */
async function withBody(status: number | undefined, context: FaultContext): Promise<SimulatedResponse> {
  const processed = await context.normal();
  const isError = status !== undefined && status >= 400;
  if (isError) discard(processed);
  const response = isError ? errorReply(status) : await whole(processed);
  if (!isBodyless(response.status)) return { ...response, status: status ?? response.status };
  return textReply(200, '{"deleted":true}', { 'content-type': 'application/json' });
}

async function compress(sent: SimulatedResponse): Promise<SimulatedResponse> {
  const response = await whole(sent);
  if (!isBytes(response.body) || isBodyless(response.status)) return response;
  const { gzipSync } = await import('node:zlib');
  return { ...response, headers: [...response.headers, ['content-encoding', 'gzip']], body: gzipSync(response.body) };
}
