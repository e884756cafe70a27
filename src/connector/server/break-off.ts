import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends the connection of a response that cannot be completed. In HTTP/1.0, which nginx speaks to the servers behind it unless
 * told otherwise, the end of the connection is the end of the body: only a reset, which TCP alone has, says that the rest is
 * missing.
 */
export function breakOff(outgoing: { destroy(): unknown }): void {
  const { req, socket } = outgoing as Partial<ServerResponse>;
  const isTcp = socket?.remoteFamily !== undefined && !(socket as Socket & { encrypted?: boolean }).encrypted;
  if (isTcp && req?.httpVersion === '1.0') socket.resetAndDestroy();
  else outgoing.destroy();
}
