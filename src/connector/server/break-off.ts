/** What Node's responses have; other servers may have less. */
interface Outgoing {
  destroy(): unknown;
  readonly req?: {
    readonly httpVersion: string;
    readonly complete?: boolean;
    readonly destroyed?: boolean;
    readonly readableDidRead?: boolean;
    readonly socket?: { resume(): unknown } | null;
    /** What Node itself calls; there is no public name for it. */
    _dump?(): void;
  };
  once?(event: 'finish', listener: () => void): unknown;
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
 * Once the response is sent, reads away the rest of a body that was given up halfway, as Node does with one that nobody has
 * begun to read: no later request on the connection would be read otherwise. After a success, somebody may still be reading.
 */
export function readAwayLostBody(outgoing: object, status: number): void {
  const { req, once } = outgoing as Outgoing;
  if (!req?.readableDidRead || req.complete !== false || req._dump === undefined) return;
  once?.call(outgoing, 'finish', () => {
    if (req.complete || !(status >= 400 || req.destroyed)) return;
    req._dump?.();
    req.socket?.resume(); // a body that was destroyed has stopped it
  });
}
