/** No credentials have any: Basic excludes them (RFC 7617), and at a NUL a database fails, as if it were down. */
export const controlCharacters = /\p{Cc}/u;

/**
 * Parses `Authorization: Basic` (RFC 7617; UTF-8, or Latin-1 where it is none, as Python's requests sends it): the
 * credentials, `malformed`, or `undefined` for another scheme.
 *
 * @example
 * readBasic('Basic YWxpY2U6c2VjcmV0') // { username: 'alice', password: 'secret' }
 */
export function readBasic(
  authorization: string | undefined,
): { readonly username: string; readonly password: string } | 'malformed' | undefined {
  const [, scheme, rest = ''] = /^\s*([^\s,]+)\s*(.*)/s.exec(authorization ?? '') ?? [];
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(rest)) return 'malformed';
  const text = decode(Buffer.from(rest, 'base64'));
  const colon = text.indexOf(':');
  if (colon < 1 || controlCharacters.test(text)) return 'malformed';
  return { username: text.slice(0, colon), password: text.slice(colon + 1) };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
