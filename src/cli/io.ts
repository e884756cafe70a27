import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the running package: `src/cli` and `dist/cli` are equally far from it. */
export const packageRoot = path.resolve(fileURLToPath(new URL('../..', import.meta.url)));

/** What the command may touch of the process, so that tests can hand it something else. */
export interface Io {
  stdout: Output;
  stderr: Output;
  stdin: NodeJS.ReadStream;
  env: Readonly<Record<string, string | undefined>>;
  /** The folder in which it was called. */
  cwd: string;
  version: string;
  /** Aborts when the user ends the command. */
  signal: AbortSignal;
}

export interface Output {
  write(data: string | Uint8Array): unknown;
  isTTY?: boolean | undefined;
}

/** It was called in a way that cannot work, or could not begin: exit code 2. The message says what to do. */
export class UsageError extends Error {}

/** `0` all is well, `1` the connector is not, `2` it could not be found out. */
export const exitCodes = { good: 0, bad: 1, unusable: 2 } as const;

export type Paint = (color: keyof typeof colors, text: string) => string;

const colors = { red: 31, green: 32, yellow: 33, cyan: 36, bold: 1, dim: 2 };

/** Colours only on a terminal, and not where `NO_COLOR` says no (no-color.org). */
export function mayColor(output: Output, env: Io['env']): boolean {
  if (env.NO_COLOR !== undefined && env.NO_COLOR !== '') return false;
  return output.isTTY === true && env.TERM !== 'dumb';
}

export function createPaint(output: Output, env: Io['env']): Paint {
  if (!mayColor(output, env)) return (_color, text) => text;
  return (color, text) => `\u001b[${colors[color]}m${text}\u001b[0m`;
}
