const code = 'BODY_ALREADY_READ';

/** A request's body was read, such as by a parser of the host, before the handler got it, and cannot be made again. */
export function bodyAlreadyReadError(message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Whether reading a body failed with {@link bodyAlreadyReadError}, from this or another copy of the package. */
export function isBodyAlreadyRead(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === code;
}
