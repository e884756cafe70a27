/** Whether the method is safe: such requests only read (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return ['GET', 'HEAD', 'OPTIONS'].includes(method);
}

/** Reads `POST /issues`. Without a method it is `GET`. */
export function readRequestLine(line: string): { method: string; path: string } {
  const [, method = 'GET', path = '/'] = /^(?:([A-Z]+) +)?(\S.*)$/.exec(line) ?? [];
  return { method, path };
}
