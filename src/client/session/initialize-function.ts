import type { ConnectorResponse } from '../http/read-success.js';

/** A request that a custom login makes: without a session, but with limits and retries like any login (rules S5, G1). */
export type InitializeRequest = (options: LoginRequest) => Promise<ConnectorResponse>;

export interface LoginRequest {
  method: string;
  path: string;
  headers?: Record<string, string> | undefined;
  json?: unknown | undefined;
  body?: string | Uint8Array | undefined;
}

/** Replaces the login as a whole (rule S1). Answers with the headers that every later request carries. */
export type InitializeFunction = (context: {
  request: InitializeRequest;
  signal: AbortSignal;
}) => Promise<Record<string, string>>;
