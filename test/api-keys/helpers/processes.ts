import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { compiled } from '../../helpers/compiled.js';

const writer = fileURLToPath(new URL('./writer.ts', import.meta.url));
const warner = fileURLToPath(new URL('./warner.ts', import.meta.url));

/** A writer in a process of its own; `maxFileKiB`: no file that it writes may become larger, as if the disk ended. */
export function startWriter(
  url: string,
  job: 'forever' | 'names' | 'edit' | 'revoke',
  label: string,
  limits?: { maxFileKiB: number },
) {
  return start(writer, [url, job, label], limits);
}

/** A process that warns before expiries, some days ahead; it dies in the middle of warning of one key. */
export function startWarner(url: string, daysAhead: number, diesAt = '') {
  return start(warner, [url, String(daysAhead), diesAt]);
}

async function start(program: string, parameters: readonly string[], limits?: { maxFileKiB: number }) {
  const command = [process.execPath, await compiled(program), ...parameters];
  const limit = limits === undefined ? '' : `ulimit -f ${limits.maxFileKiB}; `;
  const child = spawn('bash', ['-c', `${limit}exec "$@"`, 'bash', ...command], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const closed = once(child, 'close');
  return {
    /** Whole lines only: the last one may have been cut by a kill. */
    lines<T>(): T[] {
      return output
        .slice(0, output.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as T);
    },
    lineCount: () => output.split('\n').length - 1,
    /** What was printed as an error, but for Node's own remark about its SQLite. */
    errors: () =>
      errors
        .split('\n')
        .filter((line) => !/ExperimentalWarning|--trace-warnings/.test(line))
        .join('\n'),
    async kill(): Promise<void> {
      child.kill('SIGKILL');
      await closed;
    },
    /** The exit code; what the process printed as an error if it is not zero. */
    async ended(): Promise<number | string> {
      const [code] = (await closed) as [number | null];
      return code === 0 ? 0 : errors;
    },
  };
}
