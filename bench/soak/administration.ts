// API keys on SQLite with Admin API, MCP endpoint and pages: `administration <database> <hash of admin's password>`.
import { createAdmin } from 'concordat/admin';
import { openApiKeys } from 'concordat/api-keys';
import { serve } from 'concordat/connector';
import { watchProcess } from '../reading.js';
import { answerCommands } from '../worker.js';
import { clock, step } from './stepped-clock.js';

const [database = '', passwordHash = ''] = process.argv.slice(2);
const admin = { id: 'u-admin', username: 'admin', superAdmin: true, passwordHash };
const users = {
  findById: async (id: string) => (id === admin.id ? admin : undefined),
  findByUsername: async (username: string) => (username === admin.username ? admin : undefined),
};
/** What no full disk explains. */
const wrong: string[] = [];
const onError = (error: unknown) => {
  if (!/full|I\/O/i.test(String(error))) wrong.push(String(error));
};
const shared = { users, edition: 'Professional', clock, onError };
const apiKeys = await openApiKeys({ ...shared, database });
const administration = createAdmin({
  ...shared,
  apiKeys,
  mcpKeyTools: 'all',
  mcpSessionIdleMs: 20_000,
  sessionSecret: passwordHash,
});
let stop = async () => {};

const read = watchProcess();
answerCommands({
  read,
  step,
  async start() {
    const server = await serve(administration, { port: 0, onError });
    stop = async () => {
      await Promise.all([server.close({ graceMs: 2000 }), administration.close()]);
      await apiKeys.close();
    };
    return server.port;
  },
  async drain() {
    await stop();
    return wrong;
  },
});
