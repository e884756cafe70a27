// One client in its own process: contender.js <name> <url>
import { runLanes } from '../rounds.js';
import { answerCommands } from '../worker.js';
import { contenders } from './contenders.js';

const [name = '', url = ''] = process.argv.slice(2);
const read = contenders[name]?.(url);
const fileBytes = 64 * 1024 * 1024;

answerCommands({
  async run({ megabytes }: { megabytes: number }) {
    if (read === undefined) throw new Error(`no client is called ${name}`);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    let most = before;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage.rss());
    }, 10);
    const operation = async () => {
      const bytes = await read(fileBytes);
      if (bytes !== fileBytes) throw new Error(`${bytes} bytes came of ${fileBytes}`);
    };
    const round = await runLanes(operation, { count: megabytes / 64, concurrency: 1 });
    clearInterval(watch);
    return { ...round, operations: megabytes, grewBytes: most - before };
  },
});
