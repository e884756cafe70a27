import { isSecret } from '../../internal/index.js';
import { headerSecrets } from '../errors/redact.js';

/** The secrets in a request to the end system, which may repeat them in a failure (rule E5): in headers, query and form. */
export function outgoingSecrets(input: string | URL | Request, init: RequestInit = {}): string[] {
  const request = typeof input === 'object' && 'method' in input ? input : undefined;
  const headers = new Headers(init.headers ?? request?.headers);
  const [, query = ''] = (request?.url ?? String(input)).split('?', 2);
  const fields = [...new URLSearchParams(query), ...(init.body instanceof URLSearchParams ? init.body : [])];
  const isNamed = (key: string) => isSecret({ key, value: '' });
  return [
    ...headerSecrets((name) => headers.get(name), [...headers.keys()].filter(isNamed)),
    ...fields.filter(([key]) => isNamed(key)).map(([, value]) => value),
  ];
}
