import { isSecretField, querySecrets } from '../../internal/index.js';
import { headerSecrets } from '../errors/redact.js';
import { asRequest } from './failure.js';

/** Longer JSON is data: it holds no credentials, and reading it once more would take time. */
const maxJsonLength = 64 * 1024;

type Entry = readonly [name: string, value: string];

/** The secrets in a request to the end system, which may repeat them in a failure (rule E5): in headers, query, form and JSON. */
export function outgoingSecrets(input: string | URL | Request, init: RequestInit = {}): string[] {
  const request = asRequest(input);
  const headers = entriesOf(init.headers ?? request?.headers ?? {});
  const read = (name: string) =>
    headers.filter(([key]) => key.toLowerCase() === name).map(([, value]) => String(value));
  return [
    ...headerSecrets(
      read,
      headers.filter(isSecretField).map(([name]) => name.toLowerCase()),
    ),
    ...querySecrets(request?.url ?? String(input)),
    ...fieldsOf(init.body, read('content-type').join())
      .filter(isSecretField)
      .map(([, value]) => value),
  ];
}

/** Without `Headers`, which refuses what an own fetch may send. */
function entriesOf(headers: NonNullable<RequestInit['headers']>): Entry[] {
  return (Symbol.iterator in headers ? [...headers] : Object.entries(headers)) as Entry[];
}

function fieldsOf(body: unknown, contentType: string): Entry[] {
  if (body instanceof URLSearchParams) return [...body];
  if (typeof body === 'string')
    return contentType.includes('x-www-form-urlencoded') ? [...new URLSearchParams(body)] : textsIn(body);
  const fields = body instanceof FormData ? [...body] : [];
  return fields.filter((field): field is [string, string] => typeof field[1] === 'string');
}

/** The texts in JSON with their names, at any depth. */
function textsIn(json: string): Entry[] {
  const found: Entry[] = [];
  if (json.length > maxJsonLength) return found;
  try {
    JSON.parse(json, (name, value) => {
      if (typeof value === 'string') found.push([name, value]);
    });
  } catch {
    // Not JSON, or nested too deep to be read by this or by the end system.
  }
  return found;
}
