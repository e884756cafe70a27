import { charsetOf } from './body.js';

/** What a content type says of a body, for whoever reads it (rule D1). */
export interface MediaType {
  readonly kind: 'json' | 'text' | 'bytes' | 'untyped';
  /** In lower case; `undefined` if it is UTF-8 or none. */
  readonly charset: string | undefined;
}

const jsonType = /^[^;]*[/+]json\s*(;|$)/i;
const textType = /^(?:text\/|application\/(?:xml|x-www-form-urlencoded)\s*(?:;|$)|[^;]*\+xml\s*(?:;|$))/i;

export function toMediaType(contentType: string): MediaType {
  const textOrBytes = textType.test(contentType) ? 'text' : 'bytes';
  const kind = contentType.trim() === '' ? 'untyped' : jsonType.test(contentType) ? 'json' : textOrBytes;
  return { kind, charset: charsetOf(contentType) };
}
