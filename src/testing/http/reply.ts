import { ConnectorError, errorTable, kindOfStatus } from '../../contract/index.js';
import { type Clock, describeValue, follow, isBytes, lowerCaseNames, parseJson, sleep } from '../../internal/index.js';
import { turn } from '../clock/settle.js';
import type { Fault } from '../fault-types.js';
import type { JournalEntry } from '../types.js';

/** A response, whether it will go over a socket or through fetch. */
export interface SimulatedResponse {
  readonly status: number;
  /** A name may occur twice. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A stream arrives as the route makes it, and breaks off where it fails. */
  readonly body: Uint8Array | Repeated | ReadableStream<Uint8Array>;
  /** Whether the body arrives whole, is cut off halfway by a closed connection, or stops halfway with the connection open. */
  readonly end: 'whole' | 'cut' | 'open';
  /** How much later than others the first byte is sent. */
  readonly delayMs?: number;
}

/** A body too large to keep in memory: one chunk, repeated. */
export interface Repeated {
  readonly chunk: Uint8Array;
  readonly bytes: number;
}

/** What happens instead of a response. */
export interface NoResponse {
  readonly instead: 'reset' | 'closed' | 'cut-head' | 'refused' | 'hang';
  readonly delayMs?: number;
}

export type Reply = SimulatedResponse | NoResponse;

const encoder = new TextEncoder();

export function textReply(status: number, text: string, headers: Record<string, string> = {}): SimulatedResponse {
  return { status, headers: Object.entries(headers), body: encoder.encode(text), end: 'whole' };
}

export function jsonReply(status: number, value: unknown): SimulatedResponse {
  return textReply(status, JSON.stringify(value), { 'content-type': 'application/json; charset=utf-8' });
}

/** @returns `undefined` if the body is not JSON. */
export function jsonOf({ body }: SimulatedResponse): unknown {
  return isBytes(body) ? parseJson(new TextDecoder().decode(body)) : undefined;
}

export function emptyReply(status: number): SimulatedResponse {
  return { status, headers: [], body: new Uint8Array(), end: 'whole' };
}

type ErrorContent = Partial<Pick<Extract<Fault, { kind: 'status' }>, 'code' | 'message' | 'detail' | 'headers'>>;

/** An error with the body of the contract (rule E1). */
export function errorReply(status: number, content: ErrorContent = {}): SimulatedResponse {
  const { code, message = errorTable[kindOfStatus(status)].message, detail, headers = {} } = content;
  const error = new ConnectorError(message, { status, code, detail });
  const { headers: usual, ...response } = jsonReply(status, error.toPayload());
  return { ...response, headers: Object.entries(lowerCaseNames([...usual, ...Object.entries(headers)])) };
}

/** The test itself is wrong: its functions say why. Nobody hears it if the caller has gone. */
export function mistakeReply(entry: JournalEntry, error: unknown, signal?: AbortSignal): Reply {
  if (signal?.aborted) return { instead: 'hang' };
  Object.assign(entry, { error, status: 501 });
  return errorReply(501, { code: 'TEST_MISTAKE', message: `The test itself is wrong: ${describe(error)}` });
}

const describe = (thrown: unknown) => (thrown instanceof Error ? String(thrown) : describeValue(thrown));

interface Wait {
  readonly latencyMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
}

/** @throws the signal's reason; what nobody waits for any more is then discarded. */
export async function delayed(reply: Reply, { latencyMs, clock, signal }: Wait): Promise<Reply> {
  const delayMs = latencyMs + (reply.delayMs ?? 0);
  try {
    if (delayMs > 0) await sleep(clock, delayMs, signal);
    signal?.throwIfAborted();
    return reply;
  } catch (error) {
    discard(reply);
    throw error;
  }
}

/** A stream may go on at once, and for ever. */
const mostAtOnce = 64;

/** The response of a handler: with its bytes if they are there at once, as those of `c.json()`, otherwise with its stream. */
export async function readResponse({ status, headers, body }: Response): Promise<SimulatedResponse> {
  const all = [...headers].map(([name, value]) => [name.toLowerCase(), value] as const); // a DOM's keep their case
  const kept = all.filter(([name]) => name !== 'content-length' && name !== 'transfer-encoding');
  return { status, headers: kept, body: body === null ? new Uint8Array() : await readAtOnce(body), end: 'whole' };
}

async function readAtOnce(body: ReadableStream<Uint8Array>): Promise<Uint8Array | ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const later = turn().then(() => undefined);
  const chunks: Uint8Array[] = [];
  for (;;) {
    const reading = reader.read();
    const next = await Promise.race([reading, later]).catch(() => undefined);
    if (next === undefined || chunks.length === mostAtOnce) return goOn(chunks, reading, reader);
    if (next.done) return new Uint8Array(await new Blob(chunks as BlobPart[]).arrayBuffer());
    chunks.push(next.value);
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

/** The stream whose first chunks have been read. */
function goOn(chunks: readonly Uint8Array[], reading: ReturnType<Reader['read']>, reader: Reader) {
  let next: ReturnType<Reader['read']> | undefined = reading;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        for (const chunk of chunks) controller.enqueue(chunk);
      },
      async pull(controller) {
        const { done, value } = await (next ?? reader.read());
        next = undefined;
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The response with these headers, too, unless it has them. */
export function addHeaders(reply: SimulatedResponse, headers: SimulatedResponse['headers']): SimulatedResponse {
  const present = new Set(reply.headers.map(([name]) => name.toLowerCase()));
  return { ...reply, headers: [...reply.headers, ...headers.filter(([name]) => !present.has(name.toLowerCase()))] };
}

/** Cancels the stream of a response that is not sent, so that its route lets go of a file. */
export function discard(reply: Reply): void {
  if ('body' in reply && reply.body instanceof ReadableStream) reply.body.cancel().catch(() => {});
}

/** The same response with its bytes, for what changes them. @throws what its stream fails with. */
export async function whole(response: SimulatedResponse): Promise<SimulatedResponse> {
  if (!(response.body instanceof ReadableStream)) return response;
  return { ...response, body: new Uint8Array(await new Response(response.body).arrayBuffer()) };
}

/**
 * The chunks to send: of a body that does not arrive whole, only the first half.
 * @param gone cancels a stream when it aborts.
 */
export async function* chunksOf({ body, end }: SimulatedResponse, gone: AbortSignal): AsyncGenerator<Uint8Array> {
  if (body instanceof ReadableStream) {
    const reader = body.getReader();
    const leave = follow([gone], (reason) => void reader.cancel(reason).catch(() => {}));
    try {
      for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    } finally {
      leave();
    }
    return;
  }
  if (isBytes(body)) {
    const part = end === 'whole' ? body : body.subarray(0, Math.floor(body.length / 2));
    if (part.length > 0) yield part;
    return;
  }
  for (let left = end === 'whole' ? body.bytes : Math.floor(body.bytes / 2); left > 0; left -= body.chunk.length) {
    yield left < body.chunk.length ? body.chunk.subarray(0, left) : body.chunk;
  }
}
