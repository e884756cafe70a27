import { ConnectorError, errorTable, kindOfStatus } from '../../contract/index.js';

/** An answer as it goes over the wire, before anything has decided which wire. */
export interface Answer {
  readonly status: number;
  /** A name may be there twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | Repeated;
  /** How the body ends: as it should, with the connection half-way, or half-way and never. */
  readonly end: 'whole' | 'cut' | 'open';
  /** Before the first byte. */
  readonly delayMs: number;
}

/** A body that is too large to keep: one chunk again and again. */
export interface Repeated {
  readonly chunk: Uint8Array;
  readonly bytes: number;
}

export type Reply = Answer | 'reset' | 'hang';

const encoder = new TextEncoder();

export function textReply(status: number, text: string, headers: Record<string, string> = {}): Answer {
  return { status, headers: Object.entries(headers), body: encoder.encode(text), end: 'whole', delayMs: 0 };
}

export function jsonReply(status: number, value: unknown): Answer {
  return textReply(status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });
}

export function emptyReply(status: number): Answer {
  return { status, headers: [], body: new Uint8Array(), end: 'whole', delayMs: 0 };
}

export interface ErrorContent {
  code?: string | undefined;
  message?: string | undefined;
  detail?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** An error with the body of the contract (rule E1). */
export function errorReply(status: number, content: ErrorContent = {}): Answer {
  const { code, message = errorTable[kindOfStatus(status)].message, detail, headers } = content;
  const error = new ConnectorError(message, { status, code, detail });
  const answer = jsonReply(status, error.toPayload());
  return { ...answer, headers: [...answer.headers, ...Object.entries(headers ?? {})] };
}

/** The answer of somebody's handler; its body is read whole. */
export async function fromResponse(response: Response): Promise<Answer> {
  const headers = [...response.headers].filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding');
  const body = new Uint8Array(await response.arrayBuffer());
  return { status: response.status, headers, body, end: 'whole', delayMs: 0 };
}

/** Whether answers with this status have no body, whatever is put into them. */
export function isBodyless(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

/** The pieces to send, one after the other; of an answer that does not end well only the first half. */
export function* chunksOf({ body, end }: Answer): Generator<Uint8Array> {
  if (body instanceof Uint8Array) {
    const part = end === 'whole' ? body : body.subarray(0, Math.floor(body.length / 2));
    if (part.length > 0) yield part;
    return;
  }
  for (let left = end === 'whole' ? body.bytes : Math.floor(body.bytes / 2); left > 0; left -= body.chunk.length) {
    yield left < body.chunk.length ? body.chunk.subarray(0, left) : body.chunk;
  }
}
