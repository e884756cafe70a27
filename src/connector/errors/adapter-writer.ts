import {
  checkOptions,
  createRedact,
  functionOf,
  option,
  optionsOf,
  quiet,
  type ShapeOf,
} from '../../internal/index.js';
import { createErrorWriter, type WireError } from './error-writer.js';
import type { ErrorListener } from './log-error.js';
import { type ErrorFormatOptions, errorFormatShape } from './options.js';
import { limitOf, noteTold, type PreparedHeaders } from './to-connector-error.js';
import { type Translate, translated } from './translated.js';

export interface AdapterOptions<Request> extends ErrorFormatOptions {
  /**
   * The request headers that carry the connector's session: no error contains their values, nor those of `authorization`,
   * `proxy-authorization`, `cookie` and `x-api-key` (rule E5).
   */
  sessionHeaders?: readonly string[] | undefined;
  /**
   * Translates failures that are not HTTP, such as those of a database, a driver or an SDK: gets whatever was thrown that is
   * not a `ConnectorError`. `undefined` leaves it a 500 without details (rule E4). @default none
   */
  translate?: Translate<Request> | undefined;
  /**
   * Gets every error as it was thrown: the place for the connector's log, such as `logError`. Without it nothing is logged, and
   * in Express and Fastify a warning says so, once. @default none
   */
  onError?: ErrorListener<Request> | undefined;
}

export const adapterShape = {
  ...errorFormatShape,
  sessionHeaders: option<readonly string[]>(
    (names) => Array.isArray(names) && names.every((name) => typeof name === 'string' && name !== ''),
    'must be an array of header names',
  ).default([]),
  translate: functionOf<Translate<never>>().optional(),
  onError: functionOf<NonNullable<AdapterOptions<never>['onError']>>().optional(),
} satisfies ShapeOf<AdapterOptions<never>>;

const schema = optionsOf(adapterShape);

/**
 * @param secretsIn finds what may not leave in an error (rule E5): the credentials, and the session in the headers `names`.
 * @param translateOwn translates the framework's own errors; `onError` gets the original.
 * @throws TypeError naming the invalid option.
 */
export function createAdapterWriter<Request>(
  options: AdapterOptions<Request>,
  secretsIn: (request: Request, names: readonly string[]) => string[],
  translateOwn?: Translate<Request>,
) {
  const { sessionHeaders, translate, onError, ...format } = checkOptions(schema, options);
  const writeError = createErrorWriter(format);
  const notify = quiet(onError);
  const secretsOf = (request: Request) => secretsIn(request, sessionHeaders);
  const report = (thrown: unknown, request: Request) =>
    notify(thrown, request as never, createRedact(secretsOf(request)));
  return {
    /** Calls `onError` for an error after the response has begun. */
    report,
    /**
     * The response for an error; calls `onError`.
     *
     * @param prepared the response so far, in servers where an error's status is that of its response.
     */
    write(thrown: unknown, request: Request, prepared?: PreparedHeaders): WireError {
      const reportMistake = (mistake: TypeError) => report(mistake, request);
      const own = translated(translateOwn, thrown, request, reportMistake);
      const error = translated(translate as Translate<Request> | undefined, own, request, reportMistake);
      const limited = prepared === undefined ? error : limitOf(error, prepared);
      noteTold(thrown, limited);
      report(thrown, request);
      return writeError(limited, secretsOf(request));
    },
  };
}
