import { serve } from 'concordat/connector';
import { createRedmineConnector } from './connector.js';

const url = process.env.REDMINE_URL;
if (!url) {
  console.error('error: REDMINE_URL must be the address of a Redmine.');
  process.exit(2);
}
const server = await serve(createRedmineConnector({ url, onDefect: console.error }), {
  port: Number(process.env.PORT ?? 4000),
});
console.log(`The Redmine connector listens on ${server.url}`);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void server.close());
