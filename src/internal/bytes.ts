/** What was read of a body, and whether there was more. */
export interface LimitedBytes {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly truncated: boolean;
}

/**
 * Reads at most `maxBytes` of a body and cancels the rest, whatever `content-length` says.
 *
 * @throws what the stream fails with.
 */
export async function readLimited(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<LimitedBytes> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) break; // which cancels the rest
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, offset);
    offset += chunk.byteLength;
  }
  return { bytes: bytes.subarray(0, maxBytes), truncated: length > maxBytes };
}
