// One client in its own process: contender.js <downloads | uploads> <name> <url>
import { runLanes } from '../rounds.js';
import { answerCommands } from '../worker.js';
import { downloads, uploads } from './contenders.js';

const [direction = '', name = '', url = ''] = process.argv.slice(2);
const move = (direction === 'uploads' ? uploads : downloads)[name]?.(url);
const fileBytes = 64 * 1024 * 1024;

answerCommands({
  async run({ megabytes }: { megabytes: number }) {
    if (move === undefined) throw new Error(`no client is called ${name}`);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 10);
    const operation = async () => {
      const bytes = await move(fileBytes);
      if (bytes !== fileBytes) throw new Error(`${bytes} bytes arrived of ${fileBytes}`);
    };
    const round = await runLanes(operation, { count: megabytes / 64, concurrency: 1 });
    clearInterval(watch);
    return { ...round, operations: megabytes, grewBytes: most - before };
  },
});
