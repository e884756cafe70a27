import { type ConnectorError, isConnectorError } from '../../contract/index.js';

/** What a failure means to the service, or `undefined`; `context` is that of the request. */
export type Translate<Context> = (error: unknown, context: Context) => ConnectorError | undefined;

/** Asks a `translate` option about what is no contract error yet. What fails in there must not take the answer with it. */
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
