import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

/** What undici keeps with each connection that speaks HTTP/1. */
interface Parser {
  paused: boolean;
  resume(): void;
  readonly llhttp: { llhttp_resume(parser: unknown): void };
  readonly ptr: unknown;
}

/**
 * If a connection ends while its response waits for its reader, undici 7.26 to 7.30 fail an assertion that nobody can catch,
 * and the process ends (nodejs/undici#5360). So the parser goes on before undici hears of the end. This concerns all
 * connections of undici in the process from now on: callers have dispatchers of their own.
 */
export function protectPausedParsers(): void {
  subscribe('undici:client:connected', (message) => {
    const { socket } = message as { socket: Socket };
    socket.prependListener('end', () => goOn(socket));
    socket.prependListener('error', () => giveUp(socket));
    socket.prependListener('close', () => giveUp(socket));
  });
}

/** Everything has been read: what remains to be noticed is that the response is complete, or that it is not. */
function goOn(socket: Socket): void {
  const parser = parserOf(socket);
  parser?.resume();
  // It pauses again if only the end of the connection completes the response.
  if (!parser?.paused || socket.destroyed) return;
  parser.llhttp.llhttp_resume(parser.ptr);
  parser.paused = false;
}

/** What has not been read by now is lost: the response breaks off. */
function giveUp(socket: Socket): void {
  const parser = parserOf(socket);
  if (parser) parser.paused = false;
}

/** `undefined` where a later undici keeps it in another way: it has mended this itself. */
function parserOf(socket: Socket): Parser | undefined {
  const key = Object.getOwnPropertySymbols(socket).find(({ description }) => description === 'parser');
  const parser = key && (socket as unknown as Record<symbol, Partial<Parser> | null>)[key];
  const isKnown = typeof parser?.paused === 'boolean' && typeof parser.llhttp?.llhttp_resume === 'function';
  return isKnown ? (parser as Parser) : undefined;
}
