import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import path from 'node:path';

export interface DataDirectory {
  readonly path: string;
  /** Signs sessions; kept, so that a restart signs nobody out. */
  readonly sessionSecret: Uint8Array;
}

const secretBytes = 32;

/**
 * Makes the directory and what has to be in it, readable for its owner only.
 *
 * @throws Error that says what to do when the directory cannot be used.
 */
export function openDataDirectory(directory: string): DataDirectory {
  return inDirectory(directory, () => ({
    path: directory,
    sessionSecret: keepSecret(path.join(directory, 'session-secret')),
  }));
}

/** Makes the directory only. @throws Error likewise. */
export function makeDataDirectory(directory: string): void {
  inDirectory(directory, () => {});
}

function inDirectory<Result>(directory: string, work: () => Result): Result {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The data directory cannot be used (${reason}). Name another one with --data.`, { cause: error });
  }
}

function keepSecret(file: string): Uint8Array {
  const kept = readIfThere(file);
  if (kept?.length === secretBytes) {
    chmodSync(file, 0o600);
    return kept;
  }
  const secret = randomBytes(secretBytes);
  writeWhole(file, secret);
  return secret;
}

function readIfThere(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** All of it or nothing, whenever the machine stops. */
function writeWhole(file: string, content: Uint8Array): void {
  const unfinished = `${file}.${process.pid}`;
  const descriptor = openSync(unfinished, 'w', 0o600);
  try {
    writeSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, file);
}
