/**
 * The key of a source of requests. All addresses of an IPv6 /64 count as one, and `::ffff:192.0.2.1` is `192.0.2.1`. Text
 * that is not an address stays as it is.
 */
export function sourceKey(source: string): string {
  const mapped = /^[0-9a-f:]*:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(source)?.[1];
  if (mapped !== undefined) return mapped;
  const address = source.split('%', 1)[0] as string;
  if (!address.includes(':') || !/^[0-9a-f:]+$/i.test(address)) return source;
  const [head = '', tail] = address.split('::', 2) as [string?, string?];
  const groups = head === '' ? [] : head.split(':');
  if (tail !== undefined) {
    const tailGroups = tail === '' ? [] : tail.split(':');
    while (groups.length + tailGroups.length < 8) groups.push('0');
    groups.push(...tailGroups);
  }
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}
