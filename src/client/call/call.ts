import type * as z from 'zod';
import { isConnectorError, type RequestLine } from '../../contract/index.js';
import {
  bool,
  checkNames,
  checkOptions,
  checkSchema,
  type DataSchema,
  oneOf,
  option,
  timeLimit,
} from '../../internal/index.js';
import type { ConnectorRequest } from '../client-types.js';
import { AbandonedLogin, closedError, InitializeError, RequestError, withAttempts } from '../errors.js';
import type { IncomingBody } from '../http/incoming-body.js';
import type { ResponseType, ToResult } from '../http/read-success.js';
import { type BodySupply, toBodySupply } from '../http/request-body.js';
import { toHeaderRecord } from '../http/request-headers.js';
import { toPath, toTarget, withoutQuery } from '../http/request-target.js';
import type { Gates } from '../rate-limit/gates.js';
import type { Lane } from '../rate-limit/lane.js';
import type { HoldUp } from '../rate-limit/wait-limits.js';
import type { Session, SessionHolder } from '../session/session.js';
import type { Settings } from '../settings.js';
import type { CallObserver } from './observer.js';
import type { Attempt, RunContext } from './run.js';

/** One call with its options checked, ready to be sent as often as necessary. */
export interface Call<Data = unknown, Result = unknown> {
  readonly request: RequestLine;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: BodySupply;
  readonly responseType: ResponseType;
  readonly schema: DataSchema<Data> | undefined;
  toResult(...result: Parameters<ToResult<Data, Result>>): Result;
  /** As the caller says; if `undefined`, the method decides (rule G7). */
  readonly idempotent: boolean | undefined;
  readonly timeoutMs: number;
  readonly totalTimeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly lane: Lane;
  readonly priority: number;
  readonly observer?: CallObserver;
  /** Of the request of a stream: told of its attempts instead of the observer. */
  readonly watch?: CallObserver['attempt'];
  /** Whether it requests the rest of a stream, of which the caller knows nothing. */
  readonly isRest?: boolean;
}

/** What calls need besides. */
export interface CallContext extends RunContext {
  readonly sessions: SessionHolder;
  /** The body of a success is still arriving, and counts as an active call until it ends; `explain` is for its errors. */
  arriving(call: Call, body: IncomingBody, explain: IncomingBody['explain']): void;
  ended(): void;
}

export interface CallAttempt extends Attempt {
  readonly session: Session;
}

/** Checks the options of a call. @throws TypeError naming the option that is wrong. */
export function toCall<Data, Result>(
  request: ConnectorRequest<Data>,
  settings: Settings,
  gates: Gates,
  toResult: ToResult<Data, Result>,
): Call<Data, Result> {
  const { method, path } = checkRequest(request, settings);
  const body = toSendable(request, method, settings);
  return {
    target: toTarget(settings.basePath, path, request.query),
    request: { method, path: withoutQuery(path) },
    headers: toHeaderRecord(settings.headers, request.headers, body),
    body,
    responseType: optional(responseType, request.responseType, 'responseType') ?? 'auto',
    schema: request.schema === undefined ? undefined : checkSchema(request.schema),
    toResult,
    idempotent: optional(bool, request.idempotent, 'idempotent'),
    timeoutMs: optional(timeLimit, request.timeoutMs, 'timeoutMs') ?? settings.timeoutMs,
    totalTimeoutMs: optional(timeLimit, request.totalTimeoutMs, 'totalTimeoutMs') ?? settings.totalTimeoutMs,
    signal: optional(signal, request.signal, 'signal'),
    lane: gates.for({ method, path }),
    priority: optional(priority, request.priority, 'priority') ?? 0,
  };
}

/** @throws TypeError for a body that cannot be sent with this method. */
export function toSendable(
  options: Parameters<typeof toBodySupply>[0],
  method: string,
  { fetch }: Settings,
): BodySupply {
  const body = toBodySupply(options);
  const isBodiless = fetch !== undefined && (method === 'GET' || method === 'HEAD');
  if (isBodiless && body.isGiven) {
    throw new TypeError(`\`fetch\` cannot send a body with ${method}.`);
  }
  return body;
}

export function toAttempt(
  { request, lane, target, headers, responseType, timeoutMs, signal }: Call,
  { sessions, settings }: CallContext,
  { session, permit, body }: Pick<CallAttempt, 'session' | 'permit' | 'body'>,
): CallAttempt {
  return {
    request,
    lane,
    permit,
    session,
    method: request.method,
    target,
    // `toHeaderRecord` returns the defaults themselves if nothing is added to them.
    headers: headers === settings.headers ? session.withDefaults : { ...headers, ...session.headers },
    body,
    timeoutMs,
    streams: responseType === 'stream',
    signal,
    onSuccess: () => sessions.accept(session),
    mayStart: () => lane.isCurrent(permit) && sessions.current?.generation === session.generation,
  };
}

/** Reports a call that failed. @returns the error that the caller gets. */
export function reportFailure(
  failure: unknown,
  { request, isRest, signal }: Call,
  run: { readonly attempts: number; holdUp(): HoldUp },
  { events }: CallContext,
): unknown {
  const { attempts } = run;
  const isEnd = failure instanceof AbandonedLogin; // what `closing` aborts with
  const closed = isEnd || (failure instanceof RequestError && failure.code === 'CLIENT_CLOSED');
  let error = closed ? closedError(request, run.holdUp().cause) : failure;
  if (error instanceof InitializeError) error = withAttempts(error, attempts);
  const known = error instanceof RequestError || isConnectorError(error) ? error : undefined;
  // A body factory may throw what another client's call has failed with.
  const isComplete = known?.attempts !== undefined;
  if (known !== undefined && !isComplete) Object.assign(known, { attempts });
  const isOverBudget = error instanceof RequestError && error.code === 'BUDGET_EXCEEDED';
  if (isRest || (!isOverBudget && signal?.aborted)) return error;
  if (isComplete) events.emit('error', { ...request, error });
  else events.failed(request, error);
  return error;
}

const commonMethods: ReadonlySet<string> = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** @returns method and path; the path may have a query. @throws TypeError naming the option that is wrong. */
export function checkRequest(request: ConnectorRequest, base: Settings): RequestLine {
  if (typeof request !== 'object' || request === null) throw new TypeError('`request` must be an object.');
  // Every call comes through here: what words the mistake runs only where there is one.
  if (!Object.keys(request).every((name) => optionNames.includes(name))) checkNames(optionNames, request);
  const path = toPath(request.path, base);
  return { method: commonMethods.has(request.method) ? request.method : toMethod(request.method), path };
}

/** The method in capitals. @throws TypeError if it is none. */
export function toMethod(value: unknown): string {
  const method = typeof value === 'string' ? value.toUpperCase() : '';
  if (/^[A-Z]+$/.test(method) && method !== 'CONNECT') return method;
  throw new TypeError(`\`method\` must be an HTTP method, got ${JSON.stringify(value)}.`);
}

const optionNames = Object.keys({
  method: true,
  path: true,
  query: true,
  json: true,
  body: true,
  headers: true,
  schema: true,
  responseType: true,
  signal: true,
  idempotent: true,
  timeoutMs: true,
  totalTimeoutMs: true,
  priority: true,
} satisfies Record<keyof ConnectorRequest, true>);

const signal = option<AbortSignal>(
  (value) => typeof (value as Partial<AbortSignal> | null)?.throwIfAborted === 'function',
  'must be an AbortSignal, such as `controller.signal`',
);
const responseType = oneOf(['auto', 'json', 'text', 'bytes', 'stream']);
const priority = option<number>(Number.isFinite, 'must be a finite number', true);

function optional<T>(schema: z.ZodType<T>, value: T | undefined, name: string): T | undefined {
  return value === undefined ? undefined : checkOptions(schema, value, name);
}
