import { headerProblem } from '../../contract/index.js';
import { acceptedEncodings } from './unpack.js';

/** Headers as a caller gives them; those that are `undefined` are left out. */
export type HeadersOption = Headers | Readonly<Record<string, string | undefined>>;

/** Of the package, as `package.json` says it. */
export const version = '0.1.0';

/**
 * What every request of a client carries: one object, so that most requests are known by that.
 *
 * @param unpacks whether the client unpacks by itself what is compressed.
 * @throws TypeError naming a bad header.
 */
export function toBaseHeaders(headers: HeadersOption | undefined, unpacks: boolean): Readonly<Record<string, string>> {
  const base: Record<string, string> = {
    accept: 'application/json, */*;q=0.5',
    // A fetch unpacks by itself, and hands on what is cut off as if it were whole.
    'accept-encoding': unpacks ? acceptedEncodings : 'identity',
    'user-agent': `concordat/${version}`,
  };
  return Object.freeze(addHeaders(base, headers));
}

/** Headers of a request by lower-case name, with what the client adds. @throws TypeError naming a bad header. */
export function toHeaderRecord(
  base: Readonly<Record<string, string>>,
  headers: HeadersOption | undefined,
  body: { contentType: string | undefined; mayHaveLength?: boolean },
): Readonly<Record<string, string>> {
  const { contentType, mayHaveLength = false } = body;
  if (headers === undefined && contentType === undefined) return base;
  const record: Record<string, string> = { ...base };
  if (contentType !== undefined) record['content-type'] = contentType;
  return addHeaders(record, headers, mayHaveLength);
}

function addHeaders(
  record: Record<string, string>,
  headers: HeadersOption | undefined,
  mayHaveLength = false,
): Record<string, string> {
  if (headers === undefined) return record;
  for (const [name, value] of headerEntries(headers)) {
    const key = name.toLowerCase();
    // Only who makes a stream knows how long it is.
    const isLength = mayHaveLength && key === 'content-length' && /^\d{1,15}$/.test(value);
    const problem = isLength ? undefined : headerProblem(name, value);
    if (problem !== undefined) throw new TypeError(`\`headers\`: ${problem}.`);
    record[key] = value;
  }
  return record;
}

/** Names, as they are written, and values of those that are there. */
export function headerEntries(headers: HeadersOption): [name: string, value: string][] {
  const entries = headers instanceof Headers ? [...headers] : Object.entries(headers);
  return entries.filter((entry): entry is [string, string] => entry[1] !== undefined);
}
