import { serve } from 'concordat/connector';
import { createGitHubConnector } from './connector.js';

const port = Number(process.env.PORT ?? 4000);
const server = await serve(createGitHubConnector({ onDefect: console.error }), { port });
console.log(`The GitHub connector listens on ${server.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
