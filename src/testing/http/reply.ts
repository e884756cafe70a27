import { ConnectorError, errorTable, kindOfStatus } from '../../contract/index.js';
import { parseJson } from '../../internal/index.js';
import type { Fault } from '../fault-types.js';

/** A response, whether it will go over a socket or through fetch. */
export interface SimulatedResponse {
  readonly status: number;
  /** A name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | Repeated;
  /** Whether the body arrives whole, is cut off halfway by a closed connection, or stops halfway with the connection open. */
  readonly end: 'whole' | 'cut' | 'open';
  /** The delay before the first byte. */
  readonly delayMs: number;
}

/** A body too large to keep in memory: one chunk, repeated. */
export interface Repeated {
  readonly chunk: Uint8Array;
  readonly bytes: number;
}

/** What happens instead of a response, after the delay. */
export interface NoResponse {
  readonly instead: 'reset' | 'closed' | 'cut-head' | 'refused' | 'hang';
  readonly delayMs: number;
}

export type Reply = SimulatedResponse | NoResponse;

const encoder = new TextEncoder();

export function textReply(status: number, text: string, headers: Record<string, string> = {}): SimulatedResponse {
  return { status, headers: Object.entries(headers), body: encoder.encode(text), end: 'whole', delayMs: 0 };
}

export function jsonReply(status: number, value: unknown): SimulatedResponse {
  return textReply(status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });
}

/** @returns `undefined` if the body is not JSON. */
export function jsonOf({ body }: SimulatedResponse): unknown {
  return body instanceof Uint8Array ? parseJson(new TextDecoder().decode(body)) : undefined;
}

export function emptyReply(status: number): SimulatedResponse {
  return { status, headers: [], body: new Uint8Array(), end: 'whole', delayMs: 0 };
}

type ErrorContent = Partial<Pick<Extract<Fault, { kind: 'status' }>, 'code' | 'message' | 'detail' | 'headers'>>;

/** An error with the body of the contract (rule E1). */
export function errorReply(status: number, content: ErrorContent = {}): SimulatedResponse {
  const { code, message = errorTable[kindOfStatus(status)].message, detail, headers } = content;
  const error = new ConnectorError(message, { status, code, detail });
  const response = jsonReply(status, error.toPayload());
  return { ...response, headers: [...response.headers, ...Object.entries(headers ?? {})] };
}

/** Reads the response of a handler, body included. */
export async function readResponse(response: Response): Promise<SimulatedResponse> {
  const headers = [...response.headers].filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding');
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers, body, end: 'whole', delayMs: 0 };
}

/** Whether responses with this status never have a body. */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** The chunks to send: of a body that does not arrive whole, only the first half. */
export function* chunksOf({ body, end }: SimulatedResponse): Generator<Uint8Array> {
  if (body instanceof Uint8Array) {
    const part = end === 'whole' ? body : body.subarray(0, Math.floor(body.length / 2));
    if (part.length > 0) yield part;
    return;
  }
  for (let left = end === 'whole' ? body.bytes : Math.floor(body.bytes / 2); left > 0; left -= body.chunk.length) {
    yield left < body.chunk.length ? body.chunk.subarray(0, left) : body.chunk;
  }
}
