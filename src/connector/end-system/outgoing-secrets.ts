import { isSecretField, querySecrets } from '../../internal/index.js';
import { headerSecrets } from '../errors/redact.js';
import { asRequest } from './failure.js';

type Entry = readonly [name: string, value: string];

/** The secrets in a request to the end system, which may repeat them in a failure (rule E5): in headers, query and form. */
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
    ...formOf(init.body, read('content-type').join())
      .filter(isSecretField)
      .map(([, value]) => value),
  ];
}

/** Without `Headers`, which refuses what an own fetch may send. */
function entriesOf(headers: NonNullable<RequestInit['headers']>): Entry[] {
  return (Symbol.iterator in headers ? [...headers] : Object.entries(headers)) as Entry[];
}

function formOf(body: unknown, contentType: string): Entry[] {
  if (body instanceof URLSearchParams) return [...body];
  if (typeof body === 'string' && contentType.includes('x-www-form-urlencoded')) return [...new URLSearchParams(body)];
  const fields = body instanceof FormData ? [...body] : [];
  return fields.filter((field): field is [string, string] => typeof field[1] === 'string');
}
