interface Refusal {
  message: string;
  status?: number;
  code?: string;
}

/** A refused login as JSON for other processes; `undefined` for other failures. Its message contains no secret (rule E5). */
export function writeRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error) || (error as { refused?: unknown }).refused !== true) return undefined;
  const { message, status, code } = error as Refusal;
  return JSON.stringify({ message, status, code });
}

/** The refusal as an error that the client turns into an `InitializeError`, by its name and fields. */
export function readRefusal(text: string): Error {
  const { message, ...facts } = JSON.parse(text) as Refusal;
  const error = new Error(`${message} (another process was refused a moment ago)`);
  return Object.assign(error, { name: 'InitializeError', refused: true, ...facts });
}
