import { charsetOfXml, decoderOf, decodeWith, isBodyless, parseJson, toMediaType } from '../../internal/index.js';
import type { Completed } from '../probing/limits.js';

/** Why the client cannot read the body of a success as its content type says (rule D1). */
export function dataProblem({ request, response }: Completed): string | undefined {
  const { status, headers, bytes, truncated } = response;
  if (request.method === 'HEAD' || isBodyless(status) || truncated) return undefined;
  const type = headers.get('content-type') ?? '';
  const { kind, charset } = toMediaType(type);
  if (kind === 'bytes') return undefined;
  if (kind === 'json' && bytes.length === 0) return `the body is empty, but content-type is ${JSON.stringify(type)}`;
  const named = charset ?? (kind === 'json' ? undefined : charsetOfXml(bytes));
  const text = decode(bytes, named);
  if (text === undefined)
    return `the body is not ${named ?? 'UTF-8'}, and content-type is ${type === '' ? 'missing' : JSON.stringify(type)}`;
  if (kind !== 'json' || parseJson(text) !== undefined) return undefined;
  const mayBeCut = headers.has('content-length') && bytes.some((byte) => byte > 0x7f);
  return `the body is not JSON, as content-type says${mayBeCut ? '. Is it cut? content-length counts bytes, not characters' : ''}`;
}

/** Whether it is JSON that does not say so: the service gets a text, or bytes. */
export function isUnmarkedJson({ response: { headers, bytes, truncated } }: Completed): boolean {
  const type = headers.get('content-type') ?? '';
  if (truncated || !/^\s*(?:text\/plain\b|$)/i.test(type)) return false;
  const value = parseJson(decode(bytes, toMediaType(type).charset) ?? '');
  return typeof value === 'object' && value !== null;
}

function decode(bytes: Uint8Array, charset: string | undefined): string | undefined {
  try {
    return decodeWith(decoderOf(charset, bytes), bytes);
  } catch {
    return undefined; // the bytes are others, or the charset is unknown
  }
}
