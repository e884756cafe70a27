import { type ConnectorClient, createConnectorClient, InitializeError } from '../../client/index.js';
import type { ConformanceConfig, ProbeRequest } from '../../conformance/index.js';
import { isConnectorError, toSessionParameters } from '../../contract/index.js';
import {
  hasSecretName,
  headerParts,
  parseJson,
  readLimited,
  readRequestLine,
  withoutTrailingSlashes,
} from '../../internal/index.js';
import type { RecordedBody, RecordedExchange, RecordedRequest, Recording } from '../../testing/index.js';
import { fromOptions, UsageError } from '../io.js';
import { keepsNumbers } from '../json-text.js';
import { given } from '../values.js';

/** Far more than a fixture should have. */
export const maxBodyBytes = 1024 * 1024;

/** Of one connection or one moment, or not true of the body that is kept. */
const droppedHeaders =
  /^(?:date|age|connection|keep-alive|transfer-encoding|content-length|content-encoding|set-cookie)$/;

/** A recording as it came, and the secrets that were sent and received: `withoutSecrets` takes them out. */
export interface Recorded {
  recording: Recording;
  secrets: string[];
}

interface Received {
  status: number;
  headers: Headers;
  bytes: Uint8Array<ArrayBuffer>;
}

/**
 * Sends each request once, as the service does. `file` is the one of them whose response is kept byte for byte, and
 * left out if it is too large. @throws UsageError when another one gets no response that can be kept.
 */
export async function recordExchanges(
  requests: readonly RecordedRequest[],
  baseUrl: string,
  config: ConformanceConfig,
  signal: AbortSignal,
  file?: RecordedRequest,
): Promise<Recorded> {
  const { path: loginPath = '/initialize', parameters } = config.probes?.initialize ?? {};
  const loginUrl = new URL(withoutTrailingSlashes(baseUrl) + loginPath).href; // the client writes hosts and ports that way
  const secrets = requests.flatMap(({ headers = {} }) => Object.entries(headers).flatMap(secretsOfHeader));
  const session = new Set<string>();
  let received: Received | 'too large' | undefined;
  const client = createClient(baseUrl, config, async (input, init) => {
    const response = await fetch(input, init);
    const { bytes, truncated } = await readLimited(response.body, maxBodyBytes);
    const isLogin = new URL(String(input)).href === loginUrl;
    if (truncated && !isLogin) received = 'too large';
    if (truncated) throw new Error(`the response has more than ${maxBodyBytes} bytes`);
    const { status } = response;
    const headers = new Headers(response.headers);
    headers.delete('content-encoding'); // fetch has decompressed it
    if (isLogin) {
      for (const { key, value } of toSessionParameters(parseJson(new TextDecoder().decode(bytes))) ?? []) {
        session.add(key);
        secrets.push(value, ...headerParts(key, value));
      }
    } else received = { status, headers, bytes };
    return new Response(bytes.length === 0 ? null : bytes, { status, headers });
  });
  const exchanges: RecordedExchange[] = [];
  try {
    for (const request of requests) {
      received = undefined;
      const error = await send(client, request, signal);
      if (received === 'too large' && request === file) continue;
      if (typeof received !== 'object' || isConnectorError(error, 'rate-limit') || error instanceof InitializeError) {
        const why = error?.message ?? 'it logs in, and a session is not recorded';
        throw new UsageError(`${request.method} ${request.path} could not be recorded: ${why}`);
      }
      exchanges.push({ request, response: toResponse(received, request === file) });
    }
  } finally {
    await client.close();
  }
  const sent = parameters === undefined ? [] : (toSessionParameters(parameters) ?? []);
  // Only an entry of a list can say that it is no secret.
  const isPublic = (index: number) => Array.isArray(parameters) && parameters[index]?.sensitive === false;
  secrets.push(...sent.filter((_, index) => !isPublic(index)).map(({ value }) => value));
  const initialize = session.size === 0 ? null : { path: loginPath, session: [...session] };
  return { recording: { version: 1, recordedAt: new Date().toISOString(), initialize, exchanges }, secrets };
}

export function toRecordedRequest(probe: ProbeRequest): RecordedRequest {
  if (typeof probe === 'string') return readRequestLine(probe);
  const { method = 'GET', path, headers, json, body } = probe;
  return { method, path, ...given({ headers, json, text: body }) };
}

function createClient(baseUrl: string, config: ConformanceConfig, fetch: typeof globalThis.fetch): ConnectorClient {
  const { path, parameters } = config.probes?.initialize ?? {};
  const { maxWaitMs = 10_000 } = config;
  return fromOptions(() =>
    createConnectorClient({
      baseUrl,
      initialize:
        parameters === undefined ? async () => ({}) : { path, parameters: toSessionParameters(parameters) ?? [] },
      // A denial that carries the wait header would be a limit for ever.
      rateLimit: { ...config.rateLimit, maxWaitMs, maxTotalWaitMs: 3 * maxWaitMs },
      retry: { retries: 0 },
      timeoutMs: config.timeoutMs ?? 10_000,
      fetch,
    }),
  );
}

/** @returns the error of the call, if it failed: perhaps the failure was to be recorded. */
async function send(client: ConnectorClient, { text, ...request }: RecordedRequest, signal: AbortSignal) {
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  try {
    const headers = { ...type, ...request.headers };
    await client.request({ ...request, headers, responseType: 'bytes', signal, body: text });
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof TypeError) throw new UsageError(error.message);
    return error as Error;
  }
}

function secretsOfHeader([name, value]: [string, string]): string[] {
  return hasSecretName(name) || /key$/i.test(name) ? headerParts(name, value) : [];
}

function toResponse({ status, headers, bytes }: Received, isFile: boolean): RecordedExchange['response'] {
  const kept = Object.fromEntries([...headers].filter(([name]) => !droppedHeaders.test(name)));
  return { status, headers: kept, ...toBody(bytes, isFile ? '' : (headers.get('content-type') ?? '')) };
}

function toBody(bytes: Uint8Array, type: string): RecordedBody {
  if (bytes.length === 0) return {};
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const json = /[/+]json\b/i.test(type) ? parseJson(text.replace(/^\ufeff/, '')) : undefined;
    return json === undefined || !keepsNumbers(text) ? { text } : { json };
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
