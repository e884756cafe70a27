import { isBodyAlreadyRead, readLimited } from '../../internal/index.js';
import { mountOrderError } from './errors.js';

export type BoundedText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: 'too-large' | 'unreadable'; readonly text?: undefined };

/**
 * Reads a body as UTF-8 and stops as soon as it is too long, whatever `content-length` says.
 *
 * @throws AdminHttpError 500 when somebody else has read it
 */
export async function readBoundedText(request: Request, maxBytes: number): Promise<BoundedText> {
  if (request.bodyUsed) throw mountOrderError();
  if (Number(request.headers.get('content-length')) > maxBytes) return { problem: 'too-large' };
  try {
    const { bytes, truncated } = await readLimited(request.body, maxBytes);
    if (truncated) return { problem: 'too-large' };
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes) };
  } catch (error) {
    if (isBodyAlreadyRead(error)) throw mountOrderError();
    // Not UTF-8, or cut off.
    return { problem: 'unreadable' };
  }
}
