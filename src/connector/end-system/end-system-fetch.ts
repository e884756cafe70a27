import { ConnectorError } from '../../contract/index.js';
import { checkFunction, checkKeys } from '../options.js';
import { describeRequest, type EndSystemFailure, type EndSystemRequest, readFailure, unlimited } from './failure.js';
import { definePreset, type Preset } from './preset.js';
import { type PresetName, presets } from './presets/index.js';
import { successStatuses, translateFailure } from './translate.js';

export interface EndSystemFetchOptions {
  /** How the end system reports failures: a name, or one made by {@link definePreset}. @default 'generic' */
  preset?: PresetName | Preset | undefined;
  /** Asked first, for what a preset cannot say; `undefined` leaves the decision to the preset. */
  translate?:
    | ((failure: EndSystemFailure) => ConnectorError | undefined | Promise<ConnectorError | undefined>)
    | undefined;
  /** @default the global fetch */
  fetch?: typeof globalThis.fetch | undefined;
}

/**
 * A fetch for calling the system behind a connector. It returns successful answers only: every failure is thrown as the
 * error that the contract has for it, with the end system's own code and message and its answer as the detail (rules E2,
 * E3), so a connector's handler needs no error handling of its own. Rate limits carry the end system's wait, or 60 s where
 * it names none. A system that cannot be reached is a 502, one that does not answer in time a 504. When the caller's
 * signal aborts, its reason is thrown as it is.
 *
 * @throws TypeError naming the option that is wrong.
 * @example
 * const github = endSystemFetch({ preset: 'github' })
 * const issue = await (await github(`${baseUrl}/repos/${repository}/issues/7`)).json()
 */
export function endSystemFetch(options: EndSystemFetchOptions = {}): typeof globalThis.fetch {
  checkKeys(options, ['preset', 'translate', 'fetch'], 'options');
  const { translate, fetch: ownFetch } = options;
  checkFunction(translate, 'translate');
  checkFunction(ownFetch, 'fetch');
  const preset = choosePreset(options.preset);
  const suspectStatuses = successStatuses(preset);

  return async (input, init) => {
    const request = describeRequest(input, init);
    const signal = init?.signal ?? (input as Partial<Request>).signal;
    let response: Response;
    try {
      response = await (ownFetch ?? globalThis.fetch)(input, init);
    } catch (thrown) {
      throw unreachable(thrown, request, signal);
    }
    if (response.status < 400) {
      if (!suspectStatuses.has(response.status) || !isJson(response)) return response;
      const error = translateFailure(await readFailure(response.clone(), request, unlimited), preset);
      if (error === undefined) return response;
      throw error;
    }
    const failure = await readFailure(response, request);
    if (signal?.aborted && !isTimeout(signal.reason)) throw signal.reason;
    throw (await translate?.(failure)) ?? translateFailure(failure, preset);
  };
}

/** A download must not be read into memory to look for a failure in it. */
function isJson(response: Response): boolean {
  return /\bjson\b/i.test(response.headers.get('content-type') ?? '');
}

function choosePreset(preset: EndSystemFetchOptions['preset'] = 'generic'): Preset {
  if (typeof preset === 'object') return definePreset(preset);
  if (Object.hasOwn(presets, preset)) return presets[preset];
  throw new TypeError(`\`preset\` must be one of ${Object.keys(presets).join(', ')}, or made by \`definePreset\`.`);
}

const timeoutCodes = new Set([
  'ETIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function unreachable(thrown: unknown, request: EndSystemRequest, signal: AbortSignal | null | undefined): unknown {
  const timedOut = isTimeout(signal?.aborted ? signal.reason : thrown);
  if (signal?.aborted && !timedOut) return thrown;
  const code = codeOf(thrown);
  if (code === 'ERR_INVALID_URL') return thrown; // the connector's own mistake
  if (timedOut || timeoutCodes.has(code ?? '')) {
    return new ConnectorError(`${request.method} ${request.url}: the end system did not answer in time.`, {
      status: 504,
      code: 'END_SYSTEM_TIMEOUT',
      cause: thrown,
    });
  }
  const reason = code === undefined ? '' : ` (${code})`;
  return new ConnectorError(`${request.method} ${request.url}: the end system cannot be reached${reason}.`, {
    status: 502,
    code: 'END_SYSTEM_UNREACHABLE',
    cause: thrown,
  });
}

/** What `AbortSignal.timeout` aborts with. */
function isTimeout(reason: unknown): boolean {
  return (reason as { name?: unknown } | undefined | null)?.name === 'TimeoutError';
}

/** The system's code for what went wrong; fetch hides it in the cause. */
function codeOf(thrown: unknown): string | undefined {
  const { code, cause } = (thrown ?? {}) as { code?: unknown; cause?: { code?: unknown } | null };
  const found = cause?.code ?? code;
  return typeof found === 'string' ? found : undefined;
}
