import { createHmac, timingSafeEqual } from 'node:crypto';

/** Signs text for one purpose; signatures for another purpose do not match. */
export function createSigner(secret: Uint8Array, purpose: string) {
  const key = createHmac('sha256', secret).update(`concordat administration: ${purpose}`).digest();
  const digest = (text: string) => createHmac('sha256', key).update(text).digest();
  const matches = (text: string, tag: string) => {
    const expected = digest(text);
    const presented = Buffer.from(tag, 'base64url');
    return presented.length === expected.length && timingSafeEqual(presented, expected);
  };
  return {
    /** The signature alone. */
    tag: (text: string) => digest(text).toString('base64url'),
    matches,
    /** A token with the text, which anybody can read and nobody can change. */
    seal(text: string) {
      const payload = Buffer.from(text).toString('base64url');
      return `${payload}.${digest(payload).toString('base64url')}`;
    },
    /** The text of a token, or `undefined` when its signature does not match. */
    open(token: string) {
      const [payload, tag, ...rest] = token.split('.');
      if (payload === undefined || tag === undefined || rest.length > 0 || !matches(payload, tag)) return undefined;
      return Buffer.from(payload, 'base64url').toString();
    },
  };
}
