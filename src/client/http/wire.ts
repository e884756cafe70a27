import type { Incoming } from './incoming.js';
import type { RequestBody } from './request-body.js';

/** One try of a request, ready to be sent. */
export interface WireRequest {
  method: string;
  /** Path and query, the base path included. */
  target: string;
  /** Several requests may share one object: who hands it on to others hands on a copy. */
  headers: Readonly<Record<string, string>>;
  body: RequestBody | undefined;
  /** Bounds the whole try from when it starts, body included (rule D4). */
  timeoutMs: number;
  /** The most bytes of the answer that are read, where it is not the client's `maxResponseBytes`. */
  maxBytes?: number | undefined;
  /** Whether the body of a success is handed on while it arrives; then `timeoutMs` bounds the head and every silence. */
  streams?: boolean | undefined;
  signal: AbortSignal | undefined;
  /** Asked right before the first byte goes out; `false` holds the request back. */
  mayStart(): boolean;
}

/** How a body ended; `packed` is whole, and in an encoding that cannot be unpacked. */
export type BodyEnd = 'whole' | 'cut' | 'too-large' | 'packed';

export interface WireResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
  /** There instead of `body` where that was asked for, and it is a success. */
  incoming?: Incoming | undefined;
  end: BodyEnd;
  /** What cut the body off, or kept it from being unpacked. */
  error?: unknown;
}

export type Answered = { type: 'answered' } & WireResponse;

export type SendOutcome =
  | Answered
  | { type: 'failed'; error: unknown }
  | { type: 'timeout' }
  | { type: 'aborted' }
  /** `mayStart` said no: nothing was sent. */
  | { type: 'held-back' };

/** Sends a request. Never rejects: every way a try can end is an outcome. */
export interface Transport {
  send(request: WireRequest): Promise<SendOutcome>;
  /** Ends what is under way, as aborted. */
  abort(): void;
  close(): Promise<void>;
}

/** The most bytes that are read of an error's body and of the answer to a login; more is no contract body (rules E6, S2). */
export const maxErrorBytes = 1024 * 1024;

export function bodyLimit(status: number, maxResponseBytes: number): number {
  return status >= 400 ? Math.min(maxErrorBytes, maxResponseBytes) : maxResponseBytes;
}

/** Whether a response's body is handed on while it arrives. */
export function isStreamed({ streams }: WireRequest, status: number): boolean {
  return streams === true && status >= 200 && status < 300;
}

/** One header's value; repeated headers are joined by commas (RFC 9110, 5.3). */
export function headerValue(headers: WireResponse['headers'], lowerCaseName: string): string | undefined {
  const value = headers[lowerCaseName];
  return Array.isArray(value) ? value.join(', ') : value;
}
