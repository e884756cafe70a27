import type { Clock, Timer } from '../../internal/index.js';

/** How a body ended before it was whole. */
export type Break = { type: 'failed'; error: unknown } | { type: 'timeout' } | { type: 'aborted'; reason: unknown };

/** Who takes a body as it arrives. */
export interface Sink {
  push(chunk: Uint8Array): void;
  end(): void;
  break(how: Break): void;
}

/** The connection that a body arrives by. */
export interface Tap {
  pause(): void;
  resume(): void;
  /** Frees the connection: nothing more is wanted. */
  destroy(): void;
}

export interface IncomingOptions {
  tap: Tap;
  clock: Clock;
  /** How long nothing may come although more is wanted. */
  silenceMs: number;
  signal: AbortSignal | undefined;
}

/**
 * A body that arrives at the pace of who reads it (rule D2): the transport says what comes, the sink what is wanted. It ends once:
 * whole, broken off by the connection or a silence, or because nobody wants the rest.
 */
export class Incoming {
  readonly #options: IncomingOptions;
  #sink: Sink | undefined;
  /** What came before there was a sink: no more than was on its way when the head came. */
  #early: Uint8Array[] = [];
  #end: 'whole' | Break | undefined;
  #timer: Timer | undefined;
  #lastAt = 0;
  readonly #whenOver: (() => void)[] = [];
  readonly #onAbort = () => this.finish({ type: 'aborted', reason: this.#options.signal?.reason });

  constructor(options: IncomingOptions) {
    this.#options = options;
    options.signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Calls back when no more comes, however it ended; at once where that is so. */
  whenOver(callback: () => void): void {
    if (this.#end === undefined) this.#whenOver.push(callback);
    else callback();
  }

  /** The sink gets what has come, and what will come once it asks for it by {@link resume}. */
  pipe(sink: Sink): void {
    this.#sink = sink;
    for (const chunk of this.#early.splice(0)) sink.push(chunk);
    this.#tell();
  }

  /** More is wanted: from now on a silence counts. */
  resume(): void {
    if (this.#end !== undefined || this.#timer !== undefined) return;
    this.#lastAt = this.#options.clock.monotonic();
    this.#watch(this.#options.silenceMs);
    this.#options.tap.resume();
  }

  /** Enough for now. */
  pause(): void {
    if (this.#end !== undefined) return;
    this.#stopWatching();
    this.#options.tap.pause();
  }

  /** Nobody wants the rest; the sink hears nothing of it. */
  destroy(): void {
    this.#sink = undefined;
    this.finish({ type: 'aborted', reason: undefined });
  }

  /** Said by the transport. */
  arrived(chunk: Uint8Array): void {
    if (this.#end !== undefined) return;
    this.#lastAt = this.#options.clock.monotonic();
    if (this.#sink === undefined) this.#early.push(chunk);
    else this.#sink.push(chunk);
  }

  /** Said by the transport; only the first time counts. */
  finish(end: 'whole' | Break): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stopWatching();
    this.#options.signal?.removeEventListener('abort', this.#onAbort);
    if (end !== 'whole') this.#options.tap.destroy();
    // First who reads it: what asks for the rest is in line when the place is given back.
    this.#tell();
    for (const callback of this.#whenOver.splice(0)) callback();
  }

  #tell(): void {
    if (this.#end === 'whole') this.#sink?.end();
    else if (this.#end !== undefined) this.#sink?.break(this.#end);
  }

  /** One timer for many chunks: it looks how long the last one is ago. */
  #watch(delayMs: number): void {
    const { clock, silenceMs } = this.#options;
    this.#timer = clock.setTimer(delayMs, () => {
      const leftMs = silenceMs - (clock.monotonic() - this.#lastAt);
      if (leftMs > 0) this.#watch(leftMs);
      else this.finish({ type: 'timeout' });
    });
  }

  #stopWatching(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }
}
