import type { HttpBindings } from '@hono/node-server';
import { readAwayLostBody } from './break-off.js';

type Outgoing = HttpBindings['outgoing'];

/**
 * The operating system takes this much at once. A longer response is ended only after it has been taken: a closing server
 * treats a connection whose response has ended as idle, and would cut what the caller has not read yet.
 */
const mostAtOnce = 16 * 1024;

/**
 * Writes a response as its body arrives: with a length if it is one chunk that is there at once, like that of `c.json()`,
 * otherwise in chunks. A caller that disconnects cancels the body, which is not a failure.
 *
 * @throws what the body fails with, or an Error for a body that is not as long as its `content-length`: the response is then
 * incomplete, and its connection must end, or the rest would be read as the next response (RFC 9112, 11.1).
 */
export async function writeResponse(response: Response, outgoing: Outgoing, isHead: boolean): Promise<void> {
  const { status, body } = response;
  // A response of HTTP/2 does not say that it is destroyed, but its stream does.
  const { stream } = outgoing as { stream?: { destroyed: boolean } };
  if (outgoing.destroyed || stream?.destroyed) return body?.cancel();
  readAwayLostBody(outgoing, status);
  const headers = toNodeHeaders(response.headers);
  const declared = Number(headers['content-length'] ?? Number.NaN);
  let length = 0;
  const count = (bytes: Uint8Array | undefined, isLast: boolean) => {
    length += bytes?.length ?? 0;
    if (length > declared || (isLast && length < declared)) {
      throw new Error(
        `The body of a response is ${length < declared ? 'shorter' : 'longer'} than its content-length of ${declared}.`,
      );
    }
  };
  if (body === null) {
    if (!isHead && status !== 304) count(undefined, true);
    outgoing.writeHead(status, headers).end();
    return;
  }
  const reader = body.getReader();
  let isGone = false;
  let goOn = () => {};
  outgoing.on('drain', () => goOn());
  outgoing.once('close', () => {
    isGone = true;
    goOn();
    reader.cancel().catch(() => {});
  });
  try {
    const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    let reading = reader.read();
    const first = await Promise.race([reading, turn]);
    if (first && !first.done) reading = reader.read();
    const second = await Promise.race([reading, turn]);
    if (second?.done) headers['content-length'] ??= String(Buffer.byteLength(first?.value ?? ''));
    outgoing.writeHead(status, headers);
    if (first?.done || (second?.done && first && first.value.length <= mostAtOnce)) {
      count(first.value, true);
      outgoing.end(first.value);
      return;
    }
    const write = async (bytes: Uint8Array) => {
      count(bytes, false);
      // Only "false" asks to wait, as for `pipe()` of Node: servers that stand in for Node's return nothing.
      if (outgoing.write(bytes) !== false || isGone) return;
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
    };
    if (first) await write(first.value);
    else outgoing.flushHeaders();
    for (let part = await reading; !part.done && !isGone; part = await reader.read()) await write(part.value);
    if (isGone) return;
    count(undefined, true);
    outgoing.end();
  } catch (error) {
    if (isGone) return; // a read that was pending when the caller disconnected
    if (!outgoing.headersSent) outgoing.writeHead(status, headers).flushHeaders();
    throw error;
  }
}

/** What a fetched response says of the connection that it came over (RFC 9110, 7.6.1). HTTP/2 refuses most of it. */
const ofConnection = [
  ...['connection', 'http2-settings', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
];

function toNodeHeaders(headers: Headers): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) record['set-cookie'] = cookies;
  for (const name of ofConnection) delete record[name];
  return record;
}
