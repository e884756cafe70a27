import { readAway } from '../request/request-state.js';

/** What Node's responses have; other servers may have less. */
interface Outgoing {
  destroy(): unknown;
  readonly req?: {
    readonly httpVersion: string;
    readonly complete?: boolean;
    readonly readableDidRead?: boolean;
  };
  shouldKeepAlive?: boolean;
  readonly socket?: {
    readonly remoteFamily?: string;
    readonly encrypted?: boolean;
    resetAndDestroy?(): unknown;
  } | null;
  /** Of HTTP/2. */
  readonly stream?: { close?(code: number): unknown };
}

/** RFC 9113, 7. Node's own `destroy()` says NO_ERROR, with which the body would seem complete. */
const internalError = 2;

/**
 * Ends the connection of a response that cannot be completed. In HTTP/1.0, which nginx speaks to the servers behind it unless
 * told otherwise, the end of the connection is the end of the body: only a reset, which TCP alone has, says that the rest is
 * missing.
 */
export function breakOff(outgoing: { destroy(): unknown }): void {
  const { req, socket, stream } = outgoing as Outgoing;
  const isTcp = socket?.remoteFamily !== undefined && !socket.encrypted;
  if (stream?.close) stream.close(internalError);
  else if (isTcp && req?.httpVersion === '1.0' && socket.resetAndDestroy) socket.resetAndDestroy();
  else outgoing.destroy();
}

/**
 * Ends the connection after the response to a request whose body was given up halfway: nobody reads the rest of it, so that no
 * later request on this connection would be read either.
 */
export function endAfterLostBody(outgoing: object): void {
  const response = outgoing as Outgoing;
  const { req } = response;
  if (req?.readableDidRead && req.complete === false && !readAway.has(req)) response.shouldKeepAlive = false;
}
