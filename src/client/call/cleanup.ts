import { RequestError } from '../errors.js';
import { readErrorContent, sessionSecrets, toConnectorError } from '../http/read-error.js';
import { toTarget, withoutQuery } from '../http/request-target.js';
import type { Transport } from '../http/wire.js';
import type { Session } from '../session/session.js';

/** Tells the connector that a session is over (rule S1). @throws if the response is not a success. */
export async function cleanUp(
  transport: Transport,
  session: Session,
  { basePath, path, timeoutMs }: { basePath: string; path: string; timeoutMs: number },
): Promise<void> {
  const request = { method: 'POST', path: withoutQuery(path) };
  const outcome = await transport.send({
    method: 'POST',
    target: toTarget(basePath, path, undefined),
    headers: session.withDefaults,
    body: undefined,
    timeoutMs,
    signal: undefined,
    mayStart: () => true,
  });
  if (outcome.type !== 'response') {
    const code = outcome.type === 'timeout' ? 'TIMEOUT' : 'NETWORK_ERROR';
    throw new RequestError('the session could not be cleaned up', { code, request });
  }
  // A session that has ended already needs no clean-up.
  if (outcome.status >= 400 && outcome.status !== 401) {
    throw toConnectorError(outcome, request, readErrorContent(outcome, sessionSecrets(session.headers)));
  }
}
