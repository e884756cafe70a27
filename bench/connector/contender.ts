// One server in its own process, and what answering has taken of it: contender.js <name>
import { answerCommands } from '../worker.js';
import { contenders } from './contenders.js';

const [name = ''] = process.argv.slice(2);
let cpuBefore = process.cpuUsage();

answerCommands({
  listen: () => contenders[name]?.(),
  start() {
    globalThis.gc?.();
    cpuBefore = process.cpuUsage();
  },
  cpuMs() {
    const { user, system } = process.cpuUsage(cpuBefore);
    return (user + system) / 1000;
  },
});
