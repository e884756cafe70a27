import type { HttpBindings } from '@hono/node-server';

type Outgoing = HttpBindings['outgoing'];

/**
 * So much the system takes at once. More is ended after it has been taken: a server that closes takes a connection whose
 * answer has been ended for idle, and would cut what the caller has not read yet.
 */
const mostAtOnce = 16 * 1024;

/**
 * Writes a response as its body comes: with its length where it is one piece that is there before the event loop turns,
 * as that of `c.json()` is, else in chunks. A caller who goes away ends the body, and is no failure.
 *
 * @throws what the body fails with; the caller must not take the answer for whole then.
 */
export async function writeResponse(response: Response, outgoing: Outgoing): Promise<void> {
  const { status, body } = response;
  if (outgoing.destroyed) return body?.cancel();
  const headers = toNodeHeaders(response.headers);
  if (body === null) {
    outgoing.writeHead(status, headers).end();
    return;
  }
  headers['content-type'] ??= 'text/plain; charset=UTF-8';
  const reader = body.getReader();
  let isGone = false;
  const gone = new Promise<void>((resolve) => {
    outgoing.once('close', () => {
      isGone = true;
      resolve();
      reader.cancel().catch(() => {});
    });
  });
  try {
    const turn = new Promise<undefined>((resolve) => setImmediate(resolve, undefined));
    let reading = reader.read();
    const first = await Promise.race([reading, turn]);
    if (first && !first.done) reading = reader.read();
    const second = await Promise.race([reading, turn]);
    if (second?.done && headers['transfer-encoding'] === undefined) {
      headers['content-length'] ??= String(Buffer.byteLength(first?.value ?? ''));
    }
    outgoing.writeHead(status, headers);
    if (first?.done || (second?.done && first && first.value.length <= mostAtOnce)) {
      outgoing.end(first.value);
      return;
    }
    const write = async (bytes: Uint8Array) => {
      if (outgoing.write(bytes)) return;
      await Promise.race([gone, new Promise<void>((resolve) => outgoing.once('drain', resolve))]);
    };
    if (first) await write(first.value);
    else outgoing.flushHeaders();
    for (let part = await reading; !part.done && !isGone; part = await reader.read()) await write(part.value);
    if (!isGone) outgoing.end();
  } catch (error) {
    if (isGone) return; // a read that was under way when the caller went away
    if (!outgoing.headersSent) outgoing.writeHead(status, headers).flushHeaders();
    throw error;
  }
}

function toNodeHeaders(headers: Headers): Record<string, string | string[]> {
  const record: Record<string, string | string[]> = Object.fromEntries(headers);
  const cookies = headers.getSetCookie();
  if (cookies.length > 0) record['set-cookie'] = cookies;
  return record;
}
