import { readOptions } from './options.js';
import { runProcess } from './process.js';
import { runService } from './service.js';

await runProcess((signal) => runService(readOptions(process.argv.slice(2), process.env), signal));
