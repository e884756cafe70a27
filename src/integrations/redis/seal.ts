import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

type Headers = Readonly<Record<string, string>>;

interface Seal {
  close(headers: Headers): string;
  /** `undefined` when it was encrypted with another key or for another connection. */
  open(sealed: string): Headers | undefined;
}

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/** @param key without one, sessions are stored in plain text. */
export function createSeal(key: Uint8Array | undefined, connection: string): Seal {
  if (key === undefined) return { close: (headers) => `plain:${JSON.stringify(headers)}`, open: readPlain };
  // Each connection has its own key, so that one session cannot be passed off as another's.
  const connectionKey = Buffer.from(hkdfSync('sha256', key, connection, 'concordat session', 32));
  return {
    close(headers) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, connectionKey, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(headers), 'utf8'), cipher.final()]);
      return `sealed:${Buffer.concat([nonce, body, cipher.getAuthTag()]).toString('base64')}`;
    },
    open(sealed) {
      if (!sealed.startsWith('sealed:')) return undefined;
      const bytes = Buffer.from(sealed.slice('sealed:'.length), 'base64');
      if (bytes.length < nonceBytes + tagBytes) return undefined;
      const decipher = createDecipheriv(algorithm, connectionKey, bytes.subarray(0, nonceBytes), {
        authTagLength: tagBytes,
      });
      decipher.setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]);
        return JSON.parse(text.toString('utf8')) as Headers;
      } catch {
        return undefined;
      }
    },
  };
}

function readPlain(sealed: string): Headers | undefined {
  return sealed.startsWith('plain:') ? (JSON.parse(sealed.slice('plain:'.length)) as Headers) : undefined;
}
