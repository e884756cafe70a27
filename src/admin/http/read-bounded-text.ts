import { isBodyAlreadyRead, readLimited } from '../../internal/index.js';
import { mountOrderError } from './errors.js';

/**
 * Reads a body as UTF-8 and stops as soon as it is too long, whatever `content-length` says.
 *
 * @returns `undefined` when it is not UTF-8, or cut off
 * @throws the error from `tooLarge`; AdminHttpError 500 when somebody else has read the body
 */
export async function readBoundedText(
  request: Request,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<string | undefined> {
  if (request.bodyUsed) throw mountOrderError();
  if (Number(request.headers.get('content-length')) > maxBytes) throw tooLarge();
  try {
    const { bytes, truncated } = await readLimited(request.body, maxBytes);
    if (!truncated) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    if (isBodyAlreadyRead(error)) throw mountOrderError();
    return undefined;
  }
  throw tooLarge();
}
