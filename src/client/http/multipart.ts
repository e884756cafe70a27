import { randomUUID } from 'node:crypto';

/** The global FormData, or another copy, such as undici's. */
export function isForm(body: object | string): body is FormData {
  if (Object.prototype.toString.call(body) !== '[object FormData]' || !(Symbol.iterator in Object(body))) return false;
  return [...(body as FormData)].every(([, value]) => typeof value === 'string' || value instanceof Blob);
}

/**
 * A form as sent over the wire (RFC 7578). It is a Blob, which knows its length, holds files by reference and can be
 * sent repeatedly. Text is not changed, line endings included.
 */
export function toMultipart(form: FormData): Blob {
  const boundary = `concordat-${randomUUID()}`; // a Blob's type is in small letters, as this is
  const parts: (string | Blob)[] = [];
  for (const [name, value] of form) {
    const head = `--${boundary}\r\ncontent-disposition: form-data; name="${escapeName(name)}"`;
    if (typeof value === 'string') parts.push(`${head}\r\n\r\n${value}\r\n`);
    else {
      const type = value.type || 'application/octet-stream';
      parts.push(`${head}; filename="${escapeName(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`, value, '\r\n');
    }
  }
  parts.push(`--${boundary}--\r\n`);
  return new Blob(parts, { type: `multipart/form-data; boundary=${boundary}` });
}

/** Escaped as in the HTML standard. */
function escapeName(name: string): string {
  return name.replace(/\r/g, '%0D').replace(/\n/g, '%0A').replace(/"/g, '%22');
}
