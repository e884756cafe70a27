import { sessionHeaderProblem } from '../contract/index.js';

/** Headers of a request by lower-case name, with what the client adds. @throws TypeError naming a bad header. */
export function toHeaderRecord(
  headers: Headers | Readonly<Record<string, string | undefined>> | undefined,
  contentType: string | undefined,
): Record<string, string> {
  const record: Record<string, string> = { accept: 'application/json' };
  if (contentType !== undefined) record['content-type'] = contentType;
  if (headers === undefined) return record;
  for (const [name, value] of headers instanceof Headers ? headers : Object.entries(headers)) {
    if (value === undefined) continue;
    const problem = sessionHeaderProblem(name, value);
    if (problem !== undefined) throw new TypeError(`\`headers\`: ${problem}.`);
    record[name.toLowerCase()] = value;
  }
  return record;
}
