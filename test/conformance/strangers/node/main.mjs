/** `main.mjs --list` prints what there is, and `main.mjs NAME` starts one and prints its port. */
import './errors.mjs';
import './routes.mjs';
import './login.mjs';
import './sessions.mjs';
import './limits.mjs';
import './odd.mjs';
import './odd-sessions.mjs';
import { strangers } from './registry.mjs';

const [name] = process.argv.slice(2);
if (name === '--list') {
  const list = Object.entries(strangers).map(([name, { Stranger: _, ...facts }]) => ({ name, ...facts }));
  process.stdout.write(`${JSON.stringify(list)}\n`);
} else {
  new strangers[name].Stranger().listen((port) => process.stdout.write(`${port}\n`));
  process.stdin.on('close', () => process.exit()).resume(); // ends with whoever started it
}
