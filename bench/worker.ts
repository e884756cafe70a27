// A program in a process of its own that answers commands: what one contender costs is not in another's figures, and
// nobody's garbage or compiled code gets in another's way.
import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

export interface Worker {
  readonly pid: number;
  /** Runs a command of the worker. @throws what the command throws, as text. */
  call<Result>(command: string, input?: unknown): Promise<Result>;
  stop(): Promise<void>;
  /** `kill -9`. */
  kill(): Promise<void>;
}

type Commands = Record<string, (input: never) => unknown>;

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

/** Starts the program that was built from `<name>.ts` of the benchmark's folder. */
export function startWorker(program: string, parameters: readonly string[] = [], flags: string[] = []): Worker {
  const child = fork(fileURLToPath(new URL(`./${program}.js`, import.meta.url)), parameters, {
    execArgv: ['--no-warnings', '--expose-gc', ...flags],
    // Structured clones keep numbers such as Infinity.
    serialization: 'advanced',
  });
  const pending = new Map<number, (answer: Answer) => void>();
  let lastId = 0;
  let gone: string | undefined;
  child.on('message', (answer: Answer) => pending.get(answer.id)?.(answer));
  child.on('exit', (code, signal) => {
    gone = `ended with ${signal ?? `code ${code}`}`;
    for (const settle of pending.values()) settle({ id: 0, error: gone });
  });
  return {
    pid: child.pid ?? 0,
    async call<Result>(command: string, input?: unknown) {
      const id = ++lastId;
      const { error, result } = await new Promise<Answer>((settle) => {
        if (gone !== undefined) return settle({ id, error: gone });
        pending.set(id, settle);
        child.send({ id, command, input });
      });
      pending.delete(id);
      if (error !== undefined) throw new Error(`${program} ${parameters.join(' ')}: ${error}`);
      return result as Result;
    },
    stop: () => ended(child, () => child.disconnect()),
    kill: () => ended(child, () => child.kill('SIGKILL')),
  };
}

function ended(child: ChildProcess, end: () => void): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    end();
  });
}

/** What the program itself calls; it ends when its parent does. */
export function answerCommands(commands: Commands): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', async ({ id, command, input }: { id: number; command: string; input: never }) => {
    try {
      process.send?.({ id, result: await commands[command]?.(input) });
    } catch (error) {
      process.send?.({ id, error: (error as Error).stack ?? String(error) });
    }
  });
}
