import { headerProblem } from '../../contract/index.js';
import type { BodySupply } from './request-body.js';

/** Headers as a caller passes them; `undefined` values are left out. */
export type HeadersOption = Headers | Readonly<Record<string, string | undefined>>;

/** The version in `package.json`. */
export const version = '0.1.0';

/**
 * The default headers of a client. One object, so that requests without headers of their own are recognized by
 * identity.
 *
 * @param decompresses whether the client decompresses responses itself.
 * @throws TypeError naming a bad header.
 */
export function toBaseHeaders(
  headers: HeadersOption | undefined,
  decompresses: boolean,
): Readonly<Record<string, string>> {
  const base: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    // fetch decompresses by itself, and passes a truncated body off as complete.
    'accept-encoding': decompresses ? 'gzip, br, deflate' : 'identity',
    'user-agent': `concordat/${version}`,
  };
  return Object.freeze(addHeaders(base, headers));
}

const textType = 'text/plain;charset=UTF-8';
const bytesType = 'application/octet-stream';

/** The headers of a request by lower-case name, defaults included. @throws TypeError naming a bad header. */
export function toHeaderRecord(
  base: Readonly<Record<string, string>>,
  headers: HeadersOption | undefined,
  body: BodySupply,
): Readonly<Record<string, string>> {
  const { contentType } = body;
  if (headers === undefined && !body.isGiven) return base;
  const record: Record<string, string> = { ...base };
  if (contentType !== undefined) record['content-type'] = contentType;
  // Frameworks drop or refuse a body without a type (RFC 9110, section 8.3).
  else if (body.isGiven) record['content-type'] ??= typeof body.body === 'string' ? textType : bytesType;
  addHeaders(record, headers, body);
  if (contentType?.startsWith('multipart/form-data') && record['content-type'] !== contentType) {
    throw new TypeError(
      '`headers`: leave out "content-type" with a FormData: it names a boundary that the client chooses.',
    );
  }
  return record;
}

function addHeaders(
  record: Record<string, string>,
  headers: HeadersOption | undefined,
  body?: BodySupply,
): Record<string, string> {
  if (headers === undefined) return record;
  for (const [name, value] of headerEntries(headers)) {
    const key = name.toLowerCase();
    if (key === 'content-length' && body !== undefined) {
      checkLength(value, body.length);
      if (body.length === undefined) record[key] = value; // otherwise the transport adds it
      continue;
    }
    const problem = headerProblem(name, value);
    const hint = value === null ? '; leave it out, or pass undefined' : '';
    if (problem !== undefined) throw new TypeError(`\`headers\`: ${problem}${hint}.`);
    record[key] = value;
  }
  return record;
}

/** @param length that of the body, unless only the caller knows it. */
function checkLength(value: string, length: number | undefined): void {
  if (!/^\d{1,15}$/.test(value))
    throw new TypeError('`headers`: "content-length" must be a number of bytes, in digits.');
  if (length === undefined || Number(value) === length) return;
  throw new TypeError(
    `\`headers\`: "content-length" is ${value}, but the length of the body is ${length}; leave it out.`,
  );
}

/** Names as written, with their values; without `undefined`. @throws TypeError for what is no object. */
export function headerEntries(headers: HeadersOption): [name: string, value: string][] {
  if (typeof headers !== 'object' || headers === null) throw new TypeError('`headers` must be an object or Headers.');
  // Not `instanceof`: there are other copies of Headers, such as that of undici.
  const entries = Symbol.iterator in headers ? [...(headers as Headers)] : Object.entries(headers);
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
}
