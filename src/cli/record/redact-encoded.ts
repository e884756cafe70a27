import { type Redact, redactedMark } from '../../internal/index.js';

/** Redacts also what is base64 or hexadecimal of a text with a secret. */
export function redactEncoded(redact: Redact): Redact {
  const hasSecret = (bytes: Buffer) => {
    const plain = bytes.toString().replaceAll('\0', ''); // as UTF-16 has them
    return redact(plain) !== plain;
  };
  return (text) =>
    redact(text).replace(/[\w+/-]{6,}={0,2}/g, (run) => (decodings(run).some(hasSecret) ? redactedMark : run));
}

/** Base64 may begin anywhere in a run: the segments of a path look like more of it. */
function decodings(run: string): Buffer[] {
  const base64 = [0, 1, 2, 3].map((start) => Buffer.from(run.slice(start), 'base64'));
  const hex = (run.match(/[\da-f]{8,}/gi) ?? []).map((digits) => Buffer.from(digits, 'hex'));
  return [...base64, ...hex];
}
