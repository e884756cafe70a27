import type { AdminOptions } from '../options.js';

/** Reports, once for each, the options that are missing if the administration stands behind a proxy, as a request suggests. */
export function createProxyWarnings(
  { clientAddress, publicUrl }: AdminOptions,
  onError: (error: unknown) => void,
): (request: Request) => void {
  let mayLackAddress = clientAddress === undefined;
  let mayLackUrl = publicUrl === undefined;
  return ({ headers, url }) => {
    if (mayLackAddress && headers.has('x-forwarded-for')) {
      mayLackAddress = false;
      const without = 'without it all clients count as one source';
      onError(new Error(message('x-forwarded-for', 'clientAddress', without)));
    }
    if (mayLackUrl && headers.get('x-forwarded-proto') === 'https' && url.startsWith('http:')) {
      mayLackUrl = false;
      const without = 'without it cookies are not `Secure`, and pages show the address behind the proxy';
      onError(new Error(message('x-forwarded-proto', 'publicUrl', without)));
    }
  };
}

function message(header: string, option: string, without: string): string {
  return `A request has \`${header}\`, but \`${option}\` is not set. Behind a proxy, set it: ${without}. Without a proxy, ignore this: anybody can send the header.`;
}
