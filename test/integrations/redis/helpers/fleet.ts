import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { onTestFinished } from 'vitest';

interface Message {
  id?: number;
  event?: string;
  method?: string;
  message?: string;
  results?: string[];
  shared?: boolean;
}

/** A process of its own that calls the connector with its state in Redis. */
export async function worker(redisUrl: string, baseUrl: string, password = 'correct horse') {
  const file = path.join(import.meta.dirname, 'worker.ts');
  const child: ChildProcess = fork(file, [redisUrl, baseUrl, password], {
    execArgv: ['--import', 'tsx'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const messages: Message[] = [];
  const arrived = new EventEmitter();
  child.on('message', (message: Message) => {
    messages.push(message);
    arrived.emit('message');
  });
  /** A process may take a while on a busy machine: the test's own time-out is the limit. */
  const message = async (isIt: (message: Message) => boolean): Promise<Message> => {
    for (;;) {
      const found = messages.find(isIt);
      if (found !== undefined) return found;
      await once(arrived, 'message');
    }
  };
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let last = 0;
  const events = (name: string) => messages.filter(({ event }) => event === name);
  await message(({ event }) => event === 'ready');
  return {
    events,
    /** Makes calls at once, and waits until all have ended. */
    async get(...paths: string[]) {
      const id = ++last;
      child.send({ id, paths });
      return (await message((answer) => answer.id === id)) as Required<Pick<Message, 'results' | 'shared'>>;
    },
    start(...paths: string[]) {
      child.send({ id: ++last, paths });
    },
    /** Lets the process hang, and go on. */
    freeze: () => child.kill('SIGSTOP'),
    thaw: () => child.kill('SIGCONT'),
    async kill() {
      const ended = new Promise((resolve) => child.once('exit', resolve));
      child.kill('SIGKILL');
      await ended;
    },
  };
}
