/**
 * The key of a source of requests, with or without a port and brackets. All addresses of an IPv6 /64 count as one, and
 * `::ffff:192.0.2.1` is `192.0.2.1` (rule K14). Text that is not an address stays as it is.
 */
export function sourceKey(source: string): string {
  const ipv4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/.exec(source)?.[1];
  if (ipv4 !== undefined) return ipv4;
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(source)?.[1] ?? source;
  const address = bare.split('%', 1)[0] as string;
  const url = `http://[${address}]`;
  if (!/^[0-9a-f:.]{2,45}$/i.test(address) || !URL.canParse(url)) return source;
  return keyOfIpv6(new URL(url).hostname.slice(1, -1));
}

/** @param address as URLs write it: short, in lowercase, and hexadecimal at the end, too */
function keyOfIpv6(address: string): string {
  const [, ...inside] = /^(?:::ffff|64:ff9b:):([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(address) ?? [];
  if (inside.length > 0) {
    const bytes = inside.map((group) => Number.parseInt(group, 16)).flatMap((pair) => [pair >> 8, pair & 255]);
    return bytes.join('.');
  }
  const [head = '', tail = ''] = address.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail);
  const zeros = new Array<string>(8 - before.length - after.length).fill('0');
  return `${[...before, ...zeros, ...after].slice(0, 4).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
