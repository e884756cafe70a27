import { headerProblem } from '../../contract/index.js';

/** What a request carries whose caller gives neither headers nor a body: one object, so that it is known by that. */
export const defaultHeaders: Readonly<Record<string, string>> = Object.freeze({ accept: 'application/json' });

/** Headers of a request by lower-case name, with what the client adds. @throws TypeError naming a bad header. */
export function toHeaderRecord(
  headers: Headers | Readonly<Record<string, string | undefined>> | undefined,
  contentType: string | undefined,
): Readonly<Record<string, string>> {
  if (headers === undefined && contentType === undefined) return defaultHeaders;
  const record: Record<string, string> = { ...defaultHeaders };
  if (contentType !== undefined) record['content-type'] = contentType;
  if (headers === undefined) return record;
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (value === undefined) continue;
    const problem = headerProblem(name, value);
    if (problem !== undefined) throw new TypeError(`\`headers\`: ${problem}.`);
    record[name.toLowerCase()] = value;
  }
  return record;
}
