import * as z from 'zod';
import { option } from '../../internal/index.js';

const localNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];
const entryPattern = /^(?:[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?|\[[0-9a-f:.]+\])(?::\d{1,5})?$/;

export const allowedHostsOption = z.array(
  option<string>(
    (value) => typeof value === 'string' && entryPattern.test(value.toLowerCase()),
    'must be a host name such as `keys.example.com` or `keys.example.com:8443`',
    true,
  ),
  { error: 'must be an array of host names' },
);

/**
 * Refuses a `Host` or an `Origin` that is neither this machine's nor allowed. A page whose own name was bound to the
 * service's address (DNS rebinding) is recognized by both.
 *
 * @returns a function that says which header of a request names a host that is not allowed, if any; `page`, if it names none
 */
export function createHostCheck(allowedHosts: readonly string[] = []) {
  const allowed = new Set([...localNames, ...allowedHosts.map((host) => host.toLowerCase())]);
  const isAllowed = (names: readonly string[]) => names.some((name) => allowed.has(name));
  return (request: Request) => {
    const host = request.headers.get('host') ?? new URL(request.url).host;
    if (!isAllowed(namesOfHost(host.toLowerCase()))) return 'host';
    const origin = request.headers.get('origin');
    if (origin === null) return undefined;
    const names = namesOfOrigin(origin);
    if (names.length === 0) return 'page';
    return isAllowed(names) ? undefined : 'origin';
  };
}

/** With and without its port; without one, either default port matches. */
function namesOfHost(host: string): readonly string[] {
  const port = /:\d+$/.exec(host)?.[0];
  return port === undefined ? [host, `${host}:80`, `${host}:443`] : [host, host.slice(0, -port.length)];
}

/** `null`, the origin of sandboxed pages and files, matches nothing. */
function namesOfOrigin(origin: string): readonly string[] {
  const { protocol, hostname, port } = URL.canParse(origin) ? new URL(origin) : new URL('null:null');
  if (protocol !== 'http:' && protocol !== 'https:') return [];
  return [hostname, `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`];
}
