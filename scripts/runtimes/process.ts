import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** Far beyond what a loaded machine needs: only a program that hangs gets there. */
const timeoutMs = 3_600_000;

/** Runs a program to its end. @returns what it printed. @throws with everything it printed, when it fails. */
export async function run(words: string[], cwd: string, env: Record<string, string> = {}): Promise<string> {
  const child = begin(words, cwd, env);
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text: string) => lines.push(text));
  }
  child.stdin?.end();
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const [code, signal] = await once(child, 'close');
  clearTimeout(timer);
  const printed = lines.join('').trim();
  if (code !== 0) throw new Error(`${words.join(' ')}: ended with ${code ?? signal}\n${printed}`);
  return printed;
}

/** Starts a program that prints a URL and serves until its standard input ends, calls `use`, and ends it. */
export async function whileServing<T>(words: string[], cwd: string, use: (url: string) => Promise<T>): Promise<T> {
  const child = begin(words, cwd);
  child.stderr?.pipe(process.stderr);
  const ended = once(child, 'close');
  try {
    const lines = createInterface(child.stdout as NonNullable<typeof child.stdout>);
    const first = await Promise.race([once(lines, 'line'), ended]);
    const [url] = first as [string];
    if (!/^http/.test(String(url))) throw new Error(`${words.join(' ')}: does not serve`);
    return await use(url);
  } finally {
    child.stdin?.end();
    const timer = setTimeout(() => child.kill('SIGKILL'), 5000);
    await ended;
    clearTimeout(timer);
  }
}

function begin([program = '', ...words]: string[], cwd: string, env: Record<string, string> = {}): ChildProcess {
  return spawn(program, words, { cwd, env: { ...process.env, ...env }, stdio: 'pipe' });
}
