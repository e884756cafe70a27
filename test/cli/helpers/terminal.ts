import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import type { Io } from '../../../src/cli/index.js';

export interface Terminal {
  io: Pick<Io, 'stdin' | 'stdout'>;
  /** What was shown so far, without what steers the cursor. */
  written(): string;
  type(keys: string): void;
}

/** A terminal of two streams: what is typed, and what is shown. */
export function createTerminal(): Terminal {
  const input = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} });
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 100, rows: 40 });
  let written = '';
  output.on('data', (chunk) => {
    written += String(chunk);
  });
  return {
    io: { stdin: input as unknown as NodeJS.ReadStream, stdout: output },
    written: () => stripVTControlCharacters(written),
    type: (keys) => void input.write(keys),
  };
}

/** Waits until the terminal shows a text, then types. */
export async function answer(terminal: Terminal, shown: string, keys: string[]): Promise<void> {
  while (!terminal.written().includes(shown)) await new Promise((resolve) => setTimeout(resolve, 2));
  for (const key of keys) {
    terminal.type(key);
    // The keyboard is read key by key.
    await new Promise((resolve) => setImmediate(resolve));
  }
}
