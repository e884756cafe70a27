import { type ConnectorError, errorOfKind, limitBytes, RateLimitError } from '../../contract/index.js';
import { createRedact, showsSecret } from '../../internal/index.js';
import { type EndSystemFailure, nameRequest } from './failure.js';
import type { BodyCondition, Preset, PresetRule } from './preset.js';
import { generic } from './presets/generic.js';
import { findCode, findMessage, matches, valuesAt } from './read-body.js';
import type { SoapFault } from './read-soap.js';
import { readWait } from './read-wait.js';

/** A message is one line for a person; the detail has the whole response. */
const maxMessageBytes = 2048;

/**
 * Translates an end system's failure by the preset's rules, then by the general ones. The error has the end system's code
 * and message (rule E3), and its response as the detail.
 *
 * @param secretsOf the request's secrets, which the failure may repeat (rule E5).
 * @returns `undefined` for a response below 400 that no rule calls a failure.
 */
export function translateFailure(
  failure: EndSystemFailure,
  preset: Preset,
  secretsOf: () => readonly string[] = () => [],
): ConnectorError | undefined {
  const rule = findRule(failure, [...preset.rules, ...generic.rules]);
  if (rule === undefined && failure.status < 400) return undefined;
  const { json, text } = failure;
  const secrets = secretsOf();
  const found = findCode(json, [...(preset.code ?? []), ...(generic.code ?? [])]);
  const code = found === undefined || showsSecret(found, secrets) ? rule?.code : found;
  // At last the body itself, if it is a string or a list of them.
  const told = findMessage(json, [...(preset.message ?? []), ...(generic.message ?? []), []]) ?? plainText(failure);
  const redact = createRedact(secrets);
  // Redacts before cutting: a part of a secret could not be found. The author's `clean` gets no long text (rule E8).
  const message = told && limitBytes(redact(told), maxMessageBytes);
  const clean = (given: string) => redact(preset.clean?.(given) ?? given);
  const { detail = true } = preset;
  const whole = preset.body === 'soap' ? (describeFault(json) ?? text) : text;
  const shown = (message && clean(message).trim()) || describeResponse(failure);
  const details = { code, detail: detail && isText(failure) ? clean(whole) : undefined };
  if (rule?.is === 'rate-limit')
    return new RateLimitError(shown, { ...details, retryAfterMs: readWait(rule, failure) });
  const status = rule?.status ?? statusFor(failure.status);
  return errorOfKind(rule?.is ?? 'other', shown, { ...details, status, headers: lengthOf(failure) });
}

/** Of a 416: how long the file is. */
function lengthOf({ status, headers }: EndSystemFailure): Record<string, string> | undefined {
  const length = status === 416 ? headers.get('content-range') : null;
  return length === null ? undefined : { 'content-range': length };
}

/** The fault in one line and its detail in the next, instead of XML. */
function describeFault(json: unknown): string | undefined {
  const fault = (json as { fault: SoapFault } | undefined)?.fault;
  if (fault === undefined) return undefined;
  const line = [fault.code, fault.subcode, fault.string].filter((part) => part !== undefined).join(': ');
  return fault.detail === undefined ? line : `${line}\n${fault.detail}`;
}

/** Whether a rule may call this response below 400 a failure: by its head alone, or only with its body. */
export function suspect({ status, headers }: Response, preset: Preset): 'no' | 'by-head' | 'by-body' {
  const rules = preset.rules.filter(({ when }) => when.status?.includes(status) && headersMatch(headers, when.headers));
  if (rules.length === 0) return 'no';
  return rules.some(({ when }) => conditionsOf(when.body).length === 0) ? 'by-head' : 'by-body';
}

function findRule(failure: EndSystemFailure, rules: readonly PresetRule[]): PresetRule | undefined {
  return rules.find(({ when }) => {
    // A rule without statuses applies to failures only.
    if (!(when.status?.includes(failure.status) ?? failure.status >= 400)) return false;
    if (!headersMatch(failure.headers, when.headers)) return false;
    return conditionsOf(when.body).every(({ path, matches: match }) => {
      const isThere = valuesAt(failure.json, path).some((value) => matches(value, match || true));
      return isThere === (match !== false);
    });
  });
}

function conditionsOf(body: PresetRule['when']['body']): readonly BodyCondition[] {
  return [body ?? []].flat() as BodyCondition[];
}

export function headersMatch(headers: Headers, wanted: PresetRule['when']['headers'] = {}): boolean {
  return Object.entries(wanted).every(([name, match]) => matches(headers.get(name), match));
}

/** To the service the connector is a gateway: failures of the system behind it are a 502, unless their status says more. */
function statusFor(status: number): number {
  if (status === 501 || status === 503 || status === 504) return status;
  return status >= 500 || status < 400 ? 502 : status;
}

/** A short plain-text body is the message. JSON that broke off is none. */
function plainText(failure: EndSystemFailure): string | undefined {
  const { text, json, headers } = failure;
  const line = text.trim();
  if (json !== undefined || line.length > 200 || line.includes('<') || !isText(failure)) return undefined;
  return /html|json/i.test(headers.get('content-type') ?? '') ? undefined : line.replace(/\s+/g, ' ');
}

/** Neither a picture nor what fetch could not decompress. */
function isText({ text, headers }: EndSystemFailure): boolean {
  if (/^(?:image|audio|video|font)\/|octet-stream/i.test(headers.get('content-type') ?? '')) return false;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: what no text has
  return !/[\0-\x08\x0e-\x1a]/.test(text);
}

function describeResponse({ status, statusText, request }: EndSystemFailure): string {
  return `${nameRequest(request)}: the end system responded with ${`${status} ${statusText}`.trim()}.`;
}
