import { Readable } from 'node:stream';
import { type Io, runCli } from '../../../src/cli/index.js';

export interface Run {
  code: number;
  out: string;
  err: string;
}

/** Runs the command in this process and keeps what it writes. */
export async function run(args: string[], overrides: Partial<Io> & { tty?: boolean } = {}): Promise<Run> {
  const { tty = false, ...rest } = overrides;
  const written = { out: '', err: '' };
  const output = (name: 'out' | 'err') => ({
    isTTY: tty,
    write: (data: string | Uint8Array) => {
      written[name] += typeof data === 'string' ? data : Buffer.from(data).toString('latin1');
    },
  });
  const code = await runCli(args, {
    stdout: output('out'),
    stderr: output('err'),
    stdin: Object.assign(Readable.from([]), { isTTY: false }) as unknown as NodeJS.ReadStream,
    env: {},
    cwd: process.cwd(),
    version: '1.2.3',
    signal: new AbortController().signal,
    unread: new AbortController().signal,
    ...rest,
  });
  return { code, ...written };
}
