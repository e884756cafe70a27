import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the running package: `src/cli` and `dist/cli` are equally far from it. */
export const packageRoot = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** The parts of the process that the command uses, so that tests can replace them. */
export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadStream;
  env: Readonly<Record<string, string | undefined>>;
  /** The working directory. */
  cwd: string;
  version: string;
  /** Aborts when the user ends the command. */
  signal: AbortSignal;
  /** Aborts when nobody reads the output any more. */
  unread: AbortSignal;
}

export interface Output {
  write(data: string | Uint8Array): unknown;
  isTTY?: boolean | undefined;
}

/** The command cannot run as it was called: exit code 2. The message says what to do. */
export class UsageError extends Error {}

/** An option that is wrong is the user's mistake; any other error stays what it is. */
export function toUsageError(error: unknown): unknown {
  return error instanceof TypeError ? new UsageError(error.message) : error;
}

/** What `make` returns. @throws UsageError when one of the options it got is wrong. */
export function fromOptions<Made>(make: () => Made): Made {
  try {
    return make();
  } catch (error) {
    throw toUsageError(error);
  }
}

/** The path of a file to write. @throws UsageError when it cannot be written, before the work is done. */
export function checkOutput(file: string, { cwd }: Io): string {
  const name = path.resolve(cwd, file);
  try {
    const found = statSync(name, { throwIfNoEntry: false });
    if (found?.isDirectory()) throw new Error('it is a folder');
    accessSync(found === undefined ? path.dirname(name) : name, constants.W_OK);
    return name;
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}

/** `0` all is well, `1` something is wrong with the connector, `2` the command could not find out. */
export const exitCodes = { good: 0, bad: 1, unusable: 2 } as const;

/** The exit code after Ctrl-C or a signal, which the reason of `io.signal` has as its cause. */
export const endedCode = ({ signal }: Io): number => (signal.reason?.cause === 'SIGTERM' ? 143 : 130);

export type Paint = (color: keyof typeof colors, text: string) => string;

const colors = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 };

/** Colors only on a terminal, and not if `NO_COLOR` is set (no-color.org). */
export function mayColor(output: Output, env: Io['env']): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return output.isTTY === true && env.TERM !== 'dumb';
}

export function createPaint(output: Output, env: Io['env']): Paint {
  if (!mayColor(output, env)) return (_color, text) => text;
  return (color, text) => `\u001b[${colors[color]}m${text}\u001b[0m`;
}
