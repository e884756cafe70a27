import type { ConnectorClient, ConnectorRequest } from 'concordat/client';
import { canary } from './model-sessions.js';
import type { CallPlan } from './schedule.js';
import type { Outcome } from './trace.js';

/** Why a call of a simulation was aborted. */
export class CallerGone extends Error {}

/** What the connector has to receive as the body of a call. */
export function expectedBody(plan: CallPlan, call: number): string | undefined {
  if (plan.body === 'none') return undefined;
  return plan.body === 'json' ? JSON.stringify({ call }) : `body of ${call}`;
}

/** The request that a plan describes. */
export function toRequest(plan: CallPlan, call: number, signal: AbortSignal): ConnectorRequest {
  const { method, body, idempotent, timeoutMs, totalTimeoutMs } = plan;
  const text = () => `body of ${call}`;
  return {
    method,
    path: `/items/${call}`,
    signal,
    ...(body === 'json' ? { json: { call } } : {}),
    ...(body === 'stream' ? { body: toStream(text()) } : {}),
    // Every other factory makes a stream.
    ...(body === 'factory' ? { body: () => (call % 2 === 0 ? text() : toStream(text())) } : {}),
    ...(idempotent === undefined ? {} : { idempotent }),
    ...(timeoutMs === undefined ? {} : { timeoutMs }),
    ...(totalTimeoutMs === undefined ? {} : { totalTimeoutMs }),
  };
}

function toStream(text: string): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** Makes the call. Never rejects. */
export async function outcomeOf(
  client: ConnectorClient,
  request: ConnectorRequest,
  toMonotonic: (date: Date) => number,
  leak: (text: string) => void,
): Promise<Outcome> {
  try {
    const { status, data } = await client.request(request);
    return { type: 'resolved', status, data };
  } catch (error) {
    if (error instanceof CallerGone) return { type: 'aborted' };
    const failure = (error ?? {}) as { [name: string]: unknown };
    const { name, kind, code, status, resumeAt, message, detail } = failure;
    const text = `${String(message)} ${String(detail)} ${String(code)}`;
    if (text.includes(canary)) leak(text);
    return {
      type: 'rejected',
      name: String(name),
      kind: kind as string | undefined,
      code: code as string | undefined,
      status: status as number | undefined,
      resumeAtMs: resumeAt instanceof Date ? toMonotonic(resumeAt) : undefined,
    };
  }
}
