import { start } from './connector.js';
import { about } from './end-system.js';

// In a container, listen on 0.0.0.0: see the Dockerfile.
const { PORT, HOST } = process.env;

const address = { port: Number(PORT || 4000), hostname: HOST || '127.0.0.1' };
const server = await start(address).catch((error: Error) => {
  process.stderr.write(`The connector cannot listen on ${address.hostname}, port ${PORT || 4000}: ${error.message}\n`);
  process.exit(1);
});
process.stdout.write(`The connector listens on ${server.url}\nBehind it: ${about}\n`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, async () => {
    await server.close();
    process.exit(); // the end system may still be responding to a request that was cut off
  });
}
