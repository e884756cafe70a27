import { start } from './connector.js';
import { about } from './end-system.js';

// In a container, listen on 0.0.0.0: see the Dockerfile.
const { PORT = '4000', HOST = '127.0.0.1' } = process.env;

const server = await start({ port: Number(PORT), hostname: HOST });
process.stdout.write(`The connector listens on ${server.url}\nBehind it: ${about}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
