import type { HttpBindings } from '@hono/node-server';

/**
 * Completes the request of a server that stands in for Node's, as on AWS Lambda: some leave `rawHeaders` empty, some put
 * numbers into them, and the node server reads only strings, and most of them from there.
 */
export function completeRawHeaders(incoming: HttpBindings['incoming']): void {
  const { rawHeaders, headers } = incoming;
  if (rawHeaders.length > 0 && rawHeaders.every((part) => typeof part === 'string')) return;
  const complete = Object.entries(headers).flatMap(([name, values]) =>
    [values ?? []].flat().flatMap((value) => [name, String(value)]),
  );
  Object.assign(incoming, { rawHeaders: complete });
}
