import { type Clock, setTimeLimit, type Timer } from '../../internal/index.js';

export type Interruption =
  | { type: 'failed'; error: unknown }
  | { type: 'timeout' }
  | { type: 'aborted'; reason: unknown };

export interface Sink {
  push(chunk: Uint8Array): void;
  end(): void;
  interrupt(interruption: Interruption): void;
}

/** What a body arrives on; undici's controllers are such connections. */
export interface Connection {
  /** No more data is wanted for now. */
  pause(): void;
  resume(): void;
  /** Frees the connection: no more data is wanted at all. */
  abort(reason: Error): void;
}

/** With what a connection is aborted: nobody gets to see it. */
export const notNeeded = () => new Error('The response is not needed.');

export interface IncomingBodyOptions {
  connection: Connection;
  clock: Clock;
  /** How long the connection may be silent while more data is wanted. */
  silenceMs: number;
}

/**
 * A body that arrives at the pace of its reader (rule D2): the transport reports what arrives, the sink says when it
 * wants more. It ends once: complete, interrupted by the connection or by a silence, or destroyed because nobody wants
 * the rest.
 */
export class IncomingBody {
  readonly #options: IncomingBodyOptions;
  #sink: Sink | undefined;
  /** What arrived before there was a sink: no more than was already on its way with the head. */
  #buffered: Uint8Array[] = [];
  #end: 'whole' | Interruption | undefined;
  /** Of the connection's silence while more data is wanted, and of the reader's while none is. */
  #timer: Timer | undefined;
  #isWanted = false;
  #unreadEnd: Interruption | undefined;
  #lastAt = 0;
  readonly #onEnd: (() => void)[] = [];
  /** Attaches the attempts and the head of the response to an error (rule E9). */
  explain: (error: Error) => void = () => {};
  #isUnread = false;
  #onUnread: ((isUnread: boolean) => void) | undefined;

  constructor(options: IncomingBodyOptions) {
    this.#options = options;
  }

  /** Calls back when the body has ended, however it ended; at once if it has ended already. */
  onEnd(callback: () => void): void {
    if (this.#end === undefined) this.#onEnd.push(callback);
    else callback();
  }

  /** Calls back when the body begins to wait for its reader, and when it does so no longer. */
  onUnread(callback: (isUnread: boolean) => void): void {
    this.#onUnread = callback;
  }

  /** From now on, the body ends like this once its reader has wanted nothing for as long as the connection may be silent. */
  endUnread(end: Interruption): void {
    this.#unreadEnd = end;
    if (!this.#isWanted) this.#watchReader();
  }

  /** The sink gets what has arrived, and after {@link resume} what arrives from then on. */
  pipe(sink: Sink): void {
    this.#sink = sink;
    for (const chunk of this.#buffered.splice(0)) sink.push(chunk);
    this.#notifySink();
  }

  /** More data is wanted: from now on, silence counts. */
  resume(): void {
    if (this.#end !== undefined || this.#isWanted) return;
    this.#isWanted = true;
    this.#setUnread(false);
    this.#lastAt = this.#options.clock.monotonic();
    this.#watch(this.#options.silenceMs);
    this.#options.connection.resume();
  }

  pause(): void {
    if (this.#end !== undefined) return;
    this.#isWanted = false;
    this.#options.connection.pause();
    this.#setUnread(true);
    this.#watchReader();
  }

  /** Nobody wants the rest; the sink is not notified. */
  destroy(): void {
    this.#sink = undefined;
    this.finish({ type: 'aborted', reason: undefined });
  }

  /** Called by the transport. */
  arrived(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#lastAt = this.#options.clock.monotonic();
    if (this.#sink === undefined) this.#buffered.push(chunk);
    else this.#sink.push(chunk);
  }

  /** Called by the transport; only the first call counts. */
  finish(end: 'whole' | Interruption): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#setUnread(false);
    this.#timer?.cancel();
    if (end !== 'whole') this.#options.connection.abort(notNeeded());
    // The sink first: its request for the rest is in line before the place is freed.
    this.#notifySink();
    for (const callback of this.#onEnd.splice(0)) callback();
  }

  #setUnread(isUnread: boolean): void {
    if (this.#isUnread === isUnread) return;
    this.#isUnread = isUnread;
    this.#onUnread?.(isUnread);
  }

  #notifySink(): void {
    if (this.#end === 'whole') this.#sink?.end();
    else if (this.#end !== undefined) this.#sink?.interrupt(this.#end);
  }

  /** One timer for many chunks: when it fires, it checks how long ago the last one arrived. */
  #watch(delayMs: number): void {
    const { clock, silenceMs } = this.#options;
    this.#timer?.cancel();
    this.#timer = setTimeLimit(clock, delayMs, () => {
      const leftMs = silenceMs - (clock.monotonic() - this.#lastAt);
      if (leftMs > 0) this.#watch(leftMs);
      else this.finish({ type: 'timeout' });
    });
  }

  #watchReader(): void {
    this.#timer?.cancel();
    const end = this.#unreadEnd;
    if (end === undefined || this.#end !== undefined) return;
    const { clock, silenceMs } = this.#options;
    this.#timer = setTimeLimit(clock, silenceMs, () => this.finish(end));
  }
}
