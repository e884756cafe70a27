/** What a client knows of the connector's limits, as JSON for the next process. Nothing from the session (rule S7). */
export interface ClientSnapshot {
  readonly version: 1;
  /** The pauses in effect. `scope` is `''` if the connection has only one; `resumeAt` is ISO 8601. */
  readonly pauses: readonly { readonly scope: string; readonly resumeAt: string }[];
  /** The quotas learned so far. */
  readonly quotas: readonly { readonly scope: string; readonly limit: number; readonly windowMs: number }[];
}

/** Checks a snapshot from outside, such as a file. @throws TypeError saying what is wrong with it. */
export function checkSnapshot(snapshot: unknown): ClientSnapshot {
  const { version, pauses, quotas } = (isObject(snapshot) ? snapshot : {}) as Record<string, unknown>;
  if (version !== 1) {
    throw new TypeError('`snapshot` must be what `client.snapshot()` returned: an object with `version: 1`.');
  }
  if (!Array.isArray(pauses) || !Array.isArray(quotas)) {
    throw new TypeError('`snapshot.pauses` and `snapshot.quotas` must be arrays.');
  }
  return {
    version,
    pauses: pauses.map((pause, index) => {
      const { scope, resumeAt } = isObject(pause) ? pause : {};
      if (typeof scope !== 'string' || typeof resumeAt !== 'string' || !isIsoTime(resumeAt)) {
        throw new TypeError(`\`snapshot.pauses\`: entry ${index} must have a \`scope\` and an ISO 8601 \`resumeAt\`.`);
      }
      return { scope, resumeAt };
    }),
    quotas: quotas.map((quota, index) => {
      const { scope, limit, windowMs } = isObject(quota) ? quota : {};
      if (typeof scope !== 'string' || !isCount(limit) || !isCount(windowMs)) {
        throw new TypeError(
          `\`snapshot.quotas\`: entry ${index} must have a \`scope\`, a \`limit\` and a \`windowMs\` of 1 or more.`,
        );
      }
      return { scope, limit, windowMs };
    }),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

function isIsoTime(text: string): boolean {
  return /^[+-]?\d{4,6}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/.test(text) && !Number.isNaN(Date.parse(text));
}
