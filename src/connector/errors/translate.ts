import { type ConnectorError, isConnectorError } from '../../contract/index.js';

/** Translates a failure for the service, or returns `undefined`; `context` is that of the request. */
export type Translate<Context> = (error: unknown, context: Context) => ConnectorError | undefined;

/** Applies a `translate` option to what is not a contract error. Its own failure must not lose the original. */
export function translated<Context>(
  translate: Translate<Context> | undefined,
  thrown: unknown,
  context: Context,
): unknown {
  if (translate === undefined || isConnectorError(thrown)) return thrown;
  try {
    const error = translate(thrown, context);
    return isConnectorError(error) ? error : thrown;
  } catch (error) {
    return isConnectorError(error) ? error : thrown;
  }
}
