import { serve } from 'concordat/connector';
import { createGitHubConnector } from './connector.js';

const { PORT = '4000', HOST: hostname } = process.env; // 0.0.0.0 in a container
const server = await serve(createGitHubConnector({ onDefect: console.error }), { port: Number(PORT), hostname });
console.log(`The GitHub connector listens on ${server.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
