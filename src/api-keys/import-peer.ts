/** Imports an optional peer dependency. @throws Error that says what to install */
export async function importPeer<T>(name: string, purpose: string, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    if (!isMissing(name, error)) throw error;
    throw new Error(`API keys need the package \`${name}\` for ${purpose}: npm install ${name}`, { cause: error });
  }
}

function isMissing(name: string, error: unknown): boolean {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && String(message).includes(name);
}
