import { isStream, type RequestBody } from './request-body.js';
import type { SendOutcome } from './wire.js';

/** Why the caller's body could not be sent: no failure of the connector's, and no reason to try again. */
export class BodyFailure extends Error {
  constructor(cause: unknown) {
    super(`\`body\` failed while it was being sent: ${(cause as Error | undefined)?.message ?? cause}`, { cause });
  }
}

/** What will not be better the next time: the server's certificate, headers that are too large. */
const finalCodes =
  /^(?:ERR_TLS_CERT_\w+|CERT_\w+|CRL_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+|HOSTNAME_MISMATCH|INVALID_(?:CA|PURPOSE)|PATH_LENGTH_EXCEEDED|(?:UND_ERR|HPE)_HEADERS?_OVERFLOW)$/;

/** Whether a request that failed would only fail again. */
export function isFinal(outcome: SendOutcome): boolean {
  if (outcome.type !== 'failed') return false;
  const error = outcome.error as { code?: unknown; cause?: { code?: unknown } } | undefined;
  return error instanceof BodyFailure || finalCodes.test(String(error?.code ?? error?.cause?.code));
}

/** The body of one try on its way out. */
export interface SentBody {
  /** Bytes or text as they are, and all else as it is read. */
  readonly body: string | Uint8Array | AsyncIterable<Uint8Array> | undefined;
  /** Of a Blob. */
  readonly length?: number;
  /** What the body failed with, once it has. */
  failure?: BodyFailure;
}

/**
 * undici destroys the stream of a request that it does not send. One that is only held back is still needed, so undici gets
 * it behind a generator, which touches it first when bytes are really going out.
 */
export function toSentBody(body: RequestBody | undefined): SentBody {
  if (body === undefined) return noBody;
  if (body instanceof Blob) {
    if (body.size === 0) return { body: '' };
    const sent: SentBody = {
      length: body.size,
      body: readLazily(
        () => body.stream(),
        (failure) => (sent.failure = failure),
      ),
    };
    return sent;
  }
  if (!isStream(body)) return { body };
  const source = body as AsyncIterable<unknown>;
  const sent: SentBody = {
    body: readLazily(
      () => source,
      (failure) => (sent.failure = failure),
    ),
  };
  return sent;
}

const noBody: SentBody = Object.freeze({ body: undefined });

/** What the body failed with, if it was that, and not the connection. */
export function bodyFailure(sent: SentBody, error: unknown): BodyFailure | undefined {
  const { code } = (error ?? {}) as { code?: unknown };
  return sent.failure ?? (code === 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH' ? new BodyFailure(error) : undefined);
}

async function* readLazily(
  open: () => AsyncIterable<unknown>,
  fail: (failure: BodyFailure) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of open()) {
      if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array)) {
        throw new TypeError(
          `it gives ${chunk === null ? 'null' : `a value of type ${typeof chunk}`}, and must give bytes or text`,
        );
      }
      if (chunk.length > 0) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    }
  } catch (error) {
    const failure = new BodyFailure(error);
    fail(failure);
    throw failure;
  }
}
