/** What an error of a job says about its future. */
export type Verdict =
  /** A rate limit: the job can be done then. */
  | { readonly type: 'limited'; readonly resumeAt: Date }
  /** The connector refuses this very request: the job would only fail again. */
  | { readonly type: 'final' }
  /** A failure like any other: it costs an attempt. */
  | { readonly type: 'failed' };

/** How deep causes are followed. */
const maxDepth = 10;

/** Statuses of the connector that another attempt may mend: credentials can be renewed, time-outs pass. */
const transientStatuses = new Set([401, 408, 425, 429]);

/** What a connector said about the request itself; the errors of the client may come from another copy of the package. */
const connectorKinds = new Set<unknown>(['bad-request', 'unauthorized', 'forbidden', 'not-found', 'other']);
const clientKinds = new Set<unknown>(['initialize', 'request']);

/** Judges by the first error of the client among an error and its causes. */
export function judge(error: unknown): Verdict {
  for (let depth = 0, current = error; depth < maxDepth && current instanceof Error; depth++, current = current.cause) {
    const { kind, status, resumeAt } = current as { kind?: unknown; status?: unknown; resumeAt?: unknown };
    if (kind === 'rate-limit' && resumeAt instanceof Date) return { type: 'limited', resumeAt };
    if (connectorKinds.has(kind)) return { type: isFinal(status) ? 'final' : 'failed' };
    if (clientKinds.has(kind)) return { type: 'failed' };
  }
  return { type: 'failed' };
}

function isFinal(status: unknown): boolean {
  return typeof status === 'number' && status >= 400 && status < 500 && !transientStatuses.has(status);
}
