import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ConformanceConfig, Probes } from 'concordat/conformance';

/** `broken`: it violates a rule; `warned`: the author should hear of it; `right`: it keeps the contract. */
export type Verdict = 'broken' | 'warned' | 'right';

/** A connector that was written from the rules alone, with at most one defect. */
export interface Stranger {
  /** `language/name` */
  readonly id: string;
  readonly language: string;
  readonly name: string;
  readonly verdict: Verdict;
  /** The defect, or what is odd, in a sentence. */
  readonly what: string;
  /** The rule that a defect breaks. */
  readonly rule?: string;
  /** A pattern (case aside) for what one message has to mention, so that the author knows what to change. */
  readonly shows?: string;
  /** What the kit is told beyond what it is told about all of them. */
  readonly declare?: Partial<Omit<ConformanceConfig, 'probes'> & Probes>;
}

const programs = [
  { language: 'node', command: process.execPath, args: ['node/main.mjs'] },
  { language: 'python', command: 'python3', args: ['-B', 'python/main.py'] },
  { language: 'ruby', command: 'ruby', args: ['ruby/main.rb'] },
];
const cwd = fileURLToPath(new URL('.', import.meta.url));

/** All strangers, and the languages whose interpreter is not there. */
export async function strangers() {
  const found: Stranger[] = [];
  const missing: { language: string; why: string }[] = [];
  for (const { language, command, args } of programs) {
    try {
      const { stdout } = await promisify(execFile)(command, [...args, '--list'], { cwd });
      const list = JSON.parse(stdout) as Omit<Stranger, 'id' | 'language'>[];
      found.push(...list.map((facts) => ({ id: `${language}/${facts.name}`, language, ...facts })));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      missing.push({ language, why: `there is no \`${command}\`` });
    }
  }
  return { found, missing };
}

/** Starts a stranger on a port of its own. `tokens` are those of the sessions that it has handed out since. It ends when it is stopped, or with this process. */
export async function start({ language, name, id }: Stranger) {
  const { command, args } = programs.find((program) => program.language === language)!;
  const child = spawn(command, [...args, name], { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const ended = once(child, 'close').then(() => {
    throw new Error(`${id} ended before it listened: ${errors}`);
  });
  ended.catch(() => {});
  const lines = createInterface(child.stdout);
  const [port] = (await Promise.race([once(lines, 'line'), ended])) as [string];
  const tokens: string[] = [];
  lines.on('line', (token) => tokens.push(token));
  return { baseUrl: `http://127.0.0.1:${port}`, tokens, stop: () => child.kill('SIGKILL') };
}
