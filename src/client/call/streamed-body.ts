import type { FailedRequest } from '../../contract/index.js';
import { RequestError } from '../errors.js';
import type { Break, Incoming, Sink } from '../http/incoming.js';

/** Where a body goes on that broke off; rejects where it cannot. */
export type GoOn = (receivedBytes: number) => Promise<Incoming>;

/** A break that is not wanted. */
export type FinalBreak = Exclude<Break, { type: 'aborted' }>;

export interface StreamedBodyOptions {
  request: FailedRequest;
  /** The most bytes that are handed on. */
  maxBytes: number;
  /** What the head says that there are: no more and no less is whole. */
  wholeBytes: number | undefined;
  signal: AbortSignal | undefined;
  /** Missing where the connector cannot send the rest alone. */
  goOn: GoOn | undefined;
  /** The error of a break that is final; `cause` is why it could not go on, where that was tried. */
  toError(how: FinalBreak, cause: unknown): Error;
}

/** What is read ahead of the caller. */
const aheadBytes = 256 * 1024;

/** How often a body may break off without a single byte in between. */
const mostFruitless = 3;

/** A body as the caller reads it: whole or an error, and never more of it in memory than is read ahead (rule D2). */
export class StreamedBody implements Sink {
  readonly #options: StreamedBodyOptions;
  #incoming: Incoming;
  #receivedBytes = 0;
  #fruitless = 0;
  #isOver = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(incoming: Incoming, options: StreamedBodyOptions) {
    this.#options = options;
    this.#incoming = incoming;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#incoming.resume(),
        cancel: () => this.#over(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: aheadBytes }),
    );
    incoming.pipe(this);
  }

  push(chunk: Uint8Array): void {
    if (this.#isOver) return;
    this.#fruitless = 0;
    this.#receivedBytes += chunk.length;
    const { maxBytes, wholeBytes, request } = this.#options;
    if (wholeBytes !== undefined && this.#receivedBytes > wholeBytes) {
      this.#fail(this.#misfit());
      return;
    }
    if (this.#receivedBytes > maxBytes) {
      this.#fail(
        new RequestError('the answer is larger than `maxStreamBytes`', { code: 'RESPONSE_TOO_LARGE', request }),
      );
      return;
    }
    this.#controller?.enqueue(chunk);
    if (!this.#hasRoom) this.#incoming.pause();
  }

  end(): void {
    if (this.#isOver) return;
    const { wholeBytes = this.#receivedBytes } = this.#options;
    if (this.#receivedBytes < wholeBytes) {
      this.break({ type: 'failed', error: this.#misfit() });
      return;
    }
    this.#isOver = true;
    this.#controller?.close();
  }

  break(how: Break): void {
    if (this.#isOver) return;
    if (how.type === 'aborted') this.#fail(how.reason);
    else void this.#goOn(how);
  }

  #misfit(): RequestError {
    const { wholeBytes, request } = this.#options;
    const message = `${this.#receivedBytes} bytes came where \`content-length\` says ${wholeBytes}`;
    return new RequestError(message, { code: 'NETWORK_ERROR', request });
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** The rest is asked for, where the connector can send it alone. */
  async #goOn(how: FinalBreak): Promise<void> {
    const { goOn, toError } = this.#options;
    if (goOn === undefined || ++this.#fruitless > mostFruitless) return this.#fail(toError(how, undefined));
    let next: Incoming;
    try {
      next = await goOn(this.#receivedBytes);
    } catch (cause) {
      return this.#fail(this.#options.signal?.aborted ? cause : toError(how, cause));
    }
    if (this.#isOver) return next.destroy();
    this.#incoming = next;
    next.pipe(this);
    if (this.#hasRoom) next.resume();
  }

  #fail(error: unknown): void {
    if (this.#isOver) return;
    this.#over();
    this.#controller?.error(error);
  }

  #over(): void {
    this.#isOver = true;
    this.#incoming.destroy();
  }
}
