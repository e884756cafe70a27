import type { AdminContext } from '../context.js';
import { describeFailure } from './errors.js';

/** The response to anything thrown, in the form of the Admin API; unexpected errors are reported to the host. */
export function errorResponse(context: AdminContext, thrown: unknown): Response {
  const { status, body, headers, expected } = describeFailure(thrown);
  if (!expected) context.onError(thrown);
  return json(status, JSON.stringify(body), headers);
}

/** A response of the Admin API. */
export function json(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      // Keys, names and rights are private, and a key's value is shown once.
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      ...headers,
    },
  });
}
