import { isLostBody } from '../../internal/index.js';
import { lostBody } from './errors.js';

export type BoundedText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly problem: 'too-large' | 'unreadable'; readonly text?: undefined };

/**
 * Reads a body as UTF-8 and stops as soon as it is too long, whatever `content-length` says.
 *
 * @throws AdminHttpError 500 when somebody else has read it
 */
export async function readBoundedText(request: Request, maxBytes: number): Promise<BoundedText> {
  if (request.bodyUsed) throw lostBody();
  if (Number(request.headers.get('content-length')) > maxBytes) return { problem: 'too-large' };
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let bytes = 0;
  let text = '';
  try {
    const reader = request.body?.getReader();
    for (let chunk = await reader?.read(); chunk !== undefined && !chunk.done; chunk = await reader?.read()) {
      bytes += chunk.value.byteLength;
      if (bytes > maxBytes) {
        await reader?.cancel();
        return { problem: 'too-large' };
      }
      text += decoder.decode(chunk.value, { stream: true });
    }
    return { text: text + decoder.decode() };
  } catch (error) {
    if (isLostBody(error)) throw lostBody();
    // Not UTF-8, or cut off.
    return { problem: 'unreadable' };
  }
}
