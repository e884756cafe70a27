import { runWorker } from './fleet/worker.js';
import { readWorkerOptions } from './options.js';
import { runProcess } from './process.js';

await runProcess(async (signal) => {
  const options = readWorkerOptions(process.env);
  await runWorker(options, signal, (text) => process.stdout.write(`${text}\n`));
  return true;
});
