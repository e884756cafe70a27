// One client in its own process: contender.js <name> <url> <connections>
import { Agent, setGlobalDispatcher } from 'undici';
import { runLanes } from '../rounds.js';
import { answerCommands } from '../worker.js';
import { contenders } from './contenders.js';

const [name = '', url = '', connections = ''] = process.argv.slice(2);
// For whoever has no pool of its own: undici.request, and all that are built on fetch.
setGlobalDispatcher(new Agent({ connections: Number(connections) }));
const send = await contenders[name]?.(url, Number(connections));

answerCommands({
  async run(input: { count: number; concurrency: number }) {
    if (send === undefined) throw new Error(`no client is called ${name}`);
    const data = (await send()) as { key?: string };
    if (data?.key !== 'ISSUE-7') throw new Error(`wrong answer: ${JSON.stringify(data)}`);
    return runLanes(send, input);
  },
});
