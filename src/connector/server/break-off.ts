/** What Node's responses have; other servers may have less. */
interface Outgoing {
  destroy(): unknown;
  readonly req?: { readonly httpVersion: string };
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
