/**
 * Serves the connector and prints its URL: `serve.js serve` with `serve()`, `serve.js own` with the server of the runtime.
 * Ends with whoever started it.
 */
import { serve } from 'concordat/connector';
import { connector } from './connector.js';

interface Runtimes {
  Bun?: { serve(options: object): { port: number } };
  Deno?: { serve(options: object, handler: unknown): { addr: { port: number } } };
}

const { Bun, Deno } = globalThis as Runtimes;
const where = { hostname: '127.0.0.1', port: 0 };

async function start(how: string | undefined): Promise<number> {
  if (how === 'serve') return (await serve(connector, where)).port;
  if (Bun) return Bun.serve({ ...where, fetch: connector.fetch }).port;
  if (Deno) return Deno.serve({ ...where, onListen() {} }, connector.fetch).addr.port;
  throw new Error('Node has no server of its own for fetch handlers.');
}

const own = Response;
const port = await start(process.argv[2]);
if (Response !== own) throw new Error('Serving has replaced the global Response.');
console.log(`http://127.0.0.1:${port}`);
process.stdin.once('end', () => process.exit()).resume();
