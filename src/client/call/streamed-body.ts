import type { RequestLine } from '../../contract/index.js';
import { follow } from '../../internal/index.js';
import { RequestError, tooLargeError, withoutQuotes } from '../errors.js';
import type { IncomingBody, Interruption, Sink } from '../http/incoming-body.js';
import { BodyFailure } from '../http/streamed-upload.js';
import { describeFailure, describeLoss, isFinal } from './failure.js';

/** Requests the rest of a body. */
export type FetchRest = (receivedBytes: number, cancelled: AbortSignal) => Promise<IncomingBody>;

type LostConnection = Exclude<Interruption, { type: 'aborted' }>;

interface StreamedBodyOptions {
  request: RequestLine;
  status: number;
  timeoutMs: number;
  maxBytes: number;
  /** The `content-length`: no more and no less is complete. */
  wholeBytes: number | undefined;
  signal: AbortSignal | undefined;
  /** Missing if the connector cannot send just the rest. */
  fetchRest: FetchRest | undefined;
  /**
   * The rest is about to be requested because of this error.
   *
   * @param delays counts from 1 the delays in a row, which are as before retries; 0 for none.
   * @returns the delay. @throws (rejects with) the signal's reason
   */
  retry(error: RequestError, delays: number, cancelled: AbortSignal): Promise<void> | undefined;
  /** Gets what resolves once the body goes on, or has failed. */
  resuming(resumed: Promise<void>): void;
  /** Gets the error that the reader gets. */
  tell(error: unknown): void;
  /** The body is complete, or nobody wants it any more. */
  over(): void;
}

/** How much is read ahead of the caller. */
const aheadBytes = 256 * 1024;

/** About how much memory a chunk takes besides its bytes. */
const chunkBytes = 256;

/** How often the rest is requested without a single byte arriving in between. */
const maxEmptyResumes = 3;

/** A body as the caller reads it: complete or an error, with never more in memory than is read ahead (rule D2). */
export class StreamedBody implements Sink {
  readonly #options: StreamedBodyOptions;
  #incoming: IncomingBody;
  #receivedBytes = 0;
  #emptyResumes = 0;
  /** Connections in a row that brought little. */
  #poorConnections = 0;
  #resumedFrom = 0;
  #isDone = false;
  #controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  /** Aborts once nobody wants more. */
  readonly #cancelled = new AbortController();
  /** Stops listening to the caller's signal. */
  readonly #leave: (() => void) | undefined;
  readonly stream: ReadableStream<Uint8Array>;

  constructor(incoming: IncomingBody, options: StreamedBodyOptions) {
    this.#options = options;
    this.#incoming = incoming;
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller;
        },
        pull: () => this.#incoming.resume(),
        cancel: () => {
          this.#finish();
          options.over();
        },
      },
      { highWaterMark: aheadBytes, size: ({ byteLength }) => byteLength + chunkBytes },
    );
    this.#leave = follow([options.signal], (reason) => this.#fail(reason));
    incoming.pipe(this);
  }

  push(chunk: Uint8Array): void {
    if (this.#isDone) return;
    this.#emptyResumes = 0;
    this.#receivedBytes += chunk.length;
    const { maxBytes, wholeBytes, request, status } = this.#options;
    if (wholeBytes !== undefined && this.#receivedBytes > wholeBytes) this.#fail(this.#lengthError());
    else if (this.#receivedBytes > maxBytes) this.#fail(tooLargeError('`maxStreamBytes`', { request, status }));
    else {
      this.#controller?.enqueue(chunk);
      if (!this.#hasRoom) this.#incoming.pause();
    }
  }

  end(): void {
    if (this.#isDone) return;
    const { wholeBytes = this.#receivedBytes } = this.#options;
    if (this.#receivedBytes < wholeBytes) {
      this.interrupt({ type: 'failed', error: this.#lengthError() });
      return;
    }
    this.#isDone = true;
    this.#leave?.();
    this.#controller?.close();
    this.#options.over();
  }

  interrupt(interruption: Interruption): void {
    if (this.#isDone) return;
    if (interruption.type === 'aborted') this.#fail(interruption.reason);
    else this.#options.resuming(this.#resume(interruption));
  }

  #lengthError(): RequestError {
    const { wholeBytes, request } = this.#options;
    const message = `received ${this.#receivedBytes} bytes, but \`content-length\` is ${wholeBytes}`;
    return new RequestError(message, { code: 'NETWORK_ERROR', request });
  }

  get #hasRoom(): boolean {
    return (this.#controller?.desiredSize ?? 0) > 0;
  }

  /** Requests the rest, if the connector can send it. */
  async #resume(lost: LostConnection): Promise<void> {
    const { fetchRest } = this.#options;
    const isLost = fetchRest === undefined || isFinal(lost) || ++this.#emptyResumes > maxEmptyResumes;
    if (isLost) return this.#fail(this.#lostError(lost));
    const isPoor = this.#receivedBytes - this.#resumedFrom < aheadBytes;
    this.#resumedFrom = this.#receivedBytes;
    this.#poorConnections = isPoor ? this.#poorConnections + 1 : 0;
    let next: IncomingBody;
    try {
      const { signal } = this.#cancelled;
      // The first rest is requested at once; a connector whose connections bring little is not to be flooded.
      const delay = this.#options.retry(this.#lostError(lost), Math.max(0, this.#poorConnections - 1), signal);
      if (delay !== undefined) await delay;
      next = await fetchRest(this.#receivedBytes, signal);
    } catch (cause) {
      const isClosed = cause instanceof RequestError && cause.code === 'CLIENT_CLOSED';
      return this.#fail(isClosed ? cause : this.#lostError(lost, cause));
    }
    if (this.#isDone) return next.destroy();
    this.#incoming = next;
    next.pipe(this);
    if (this.#hasRoom) next.resume();
  }

  /** @param restFailure why requesting the rest failed, if that was tried. */
  #lostError(lost: LostConnection, restFailure?: unknown): RequestError {
    const { request, status, timeoutMs } = this.#options;
    const cause = withoutQuotes(restFailure ?? (lost.type === 'failed' ? lost.error : undefined));
    const why =
      restFailure instanceof Error ? restFailure.message.replace(`${request.method} ${request.path}: `, '') : '';
    const note = why === '' ? '' : `; the rest could not be requested: ${why}`;
    if (lost.type === 'timeout') {
      const message = `no data arrived within ${timeoutMs} ms${note}`;
      return new RequestError(message, { code: 'TIMEOUT', request, status, cause });
    }
    if (lost.error instanceof BodyFailure) {
      const { message, cause } = lost.error;
      return new RequestError(message, { code: 'BODY_FAILED', request, status, cause });
    }
    const reason = describeFailure(lost.error);
    const loss = describeLoss(lost.error);
    const message = (reason === loss ? loss : `${loss}: ${reason}`) + note;
    return new RequestError(message, { code: 'NETWORK_ERROR', request, status, cause });
  }

  #fail(error: unknown): void {
    if (this.#isDone) return;
    this.#finish();
    this.#controller?.error(error);
    this.#options.tell(error);
  }

  #finish(): void {
    this.#isDone = true;
    this.#leave?.();
    this.#incoming.destroy();
    this.#cancelled.abort();
  }
}
