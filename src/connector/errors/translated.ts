import { type ConnectorError, isConnectorError } from '../../contract/index.js';

/** Translates a failure for the service, or returns `undefined`; `context` is that of the request. */
export type Translate<Context> = (error: unknown, context: Context) => ConnectorError | undefined;

/**
 * Applies a `translate` option to what is not a contract error. Its own failure must not lose the original.
 *
 * @param report gets the mistake of a `translate` that returns a promise: the response cannot wait for it.
 */
export function translated<Context>(
  translate: Translate<Context> | undefined,
  thrown: unknown,
  context: Context,
  report: (mistake: TypeError) => void,
): unknown {
  if (translate === undefined || isConnectorError(thrown)) return thrown;
  try {
    const error: unknown = translate(thrown, context);
    if (error instanceof Promise) {
      error.catch(() => {}); // which would end the process
      report(new TypeError('`translate` returned a promise, which is ignored: it must not be async.'));
    }
    return isConnectorError(error) ? error : thrown;
  } catch (error) {
    return isConnectorError(error) ? error : thrown;
  }
}
