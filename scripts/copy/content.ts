import { createHash } from 'node:crypto';

export const blockBytes = 1024 * 1024;

const base = Buffer.alloc(blockBytes);
for (let at = 0; at < blockBytes; at += 32) createHash('sha256').update(String(at)).digest().copy(base, at);

let latest = { number: -1, block: base };

/** The block that the byte at that place is in: each begins with its own number, so that none can stand for another. */
export function blockOf(at: number): Buffer {
  const number = Math.floor(at / blockBytes);
  if (number !== latest.number) {
    latest = { number, block: Buffer.from(base) };
    latest.block.writeUInt32BE(number);
  }
  return latest.block;
}

/** What a file of that many bytes has to hash to. */
export function hashOf(bytes: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < bytes; at += blockBytes) hash.update(blockOf(at).subarray(0, bytes - at));
  return hash.digest('hex');
}
