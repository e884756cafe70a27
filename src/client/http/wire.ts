import { isBodyless } from '../../internal/index.js';
import type { IncomingBody } from './incoming-body.js';
import type { RequestBody } from './request-body.js';

export interface WireRequest {
  method: string;
  /** Path and query, including the base path. */
  target: string;
  /** Requests may share this object: copy it before handing it to code that may change it. */
  headers: Readonly<Record<string, string>>;
  body: RequestBody | undefined;
  /** Bounds the attempt from its start, body included (rule D4). */
  timeoutMs: number;
  /** The most bytes of the response that are read, if not the client's `maxResponseBytes`. */
  maxBytes?: number | undefined;
  /** Whether a success is handed on while it arrives. `timeoutMs` then bounds the head and each silence after it. */
  streams?: boolean | undefined;
  signal: AbortSignal | undefined;
  /** Whether it goes though `concurrency` requests are in flight. */
  permit?: { readonly isBeyond: boolean };
  /** Called when the head of a success has arrived: 2xx or 304. */
  onSuccess?: (() => void) | undefined;
  /** Called right before the first byte is sent; `false` holds the request back. */
  mayStart(): boolean;
}

/** How a body ended. `undecodable` arrived whole, in an encoding that cannot be decompressed. */
export type BodyEnd = 'whole' | 'truncated' | 'too-large' | 'undecodable';

export interface WireResponse {
  status: number;
  /** What was requested. Missing where only the head has arrived. */
  url?: string;
  headers: Record<string, string | string[] | undefined>;
  body: Uint8Array;
  /** Set instead of `body` for a success of a request with `streams`. */
  incoming?: IncomingBody | undefined;
  end: BodyEnd;
  /** What truncated the body, or kept it from being decompressed. */
  error?: unknown;
}

export type ResponseOutcome = { type: 'response' } & WireResponse;

export type SendOutcome =
  | ResponseOutcome
  | { type: 'failed'; error: unknown }
  /** `response` if its head had arrived. `isSending` if the request's body had not been sent to its end. */
  | { type: 'timeout'; isSending?: boolean | undefined; response?: WireResponse | undefined }
  | { type: 'aborted' }
  /** `mayStart` said no: nothing was sent. */
  | { type: 'held-back' };

/** Sends requests. `send` never rejects: every way that an attempt can end is an outcome. */
export interface Transport {
  send(request: WireRequest): Promise<SendOutcome>;
  /** Ends all requests in flight as aborted. */
  abort(): void;
  close(): Promise<void>;
}

/** The most bytes read of an error's body and of a login's response; more is no contract body (rules E6, S2). */
export const maxErrorBytes = 1024 * 1024;

export function isStreamed({ streams, method }: WireRequest, status: number): boolean {
  return streams === true && status >= 200 && status < 300 && !hasNoBody(method, status);
}

/** Whether a response ends with its head, whatever that says. */
export function hasNoBody(method: string, status: number): boolean {
  return method === 'HEAD' || isBodyless(status);
}

/** The value of a header; repeated headers are joined by commas (RFC 9110, 5.3). */
export function headerValue(headers: WireResponse['headers'], lowerCaseName: string): string | undefined {
  const value = headers[lowerCaseName];
  return Array.isArray(value) ? value.join(', ') : value;
}
