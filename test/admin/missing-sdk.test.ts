import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { compiled } from '../helpers/compiled.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A program in which the MCP SDK is not installed: Node answers as it does for any package that is missing. */
const withoutSdk = `
  import { register } from 'node:module';
  register('data:text/javascript,' + encodeURIComponent(\`
    export async function resolve(specifier, context, next) {
      if (process.env.HIDE_SDK !== 'yes' || !specifier.startsWith('@modelcontextprotocol/sdk')) return next(specifier, context);
      return next(specifier.replace('sdk', 'sdk-that-is-not-there'), context);
    }
  \`));
`;

const program = `
  import { createAdmin } from './src/admin/index.ts';
  import { hashPassword, openApiKeys } from './src/api-keys/index.ts';
  const alice = { id: 'u-alice', username: 'alice', passwordHash: await hashPassword('secret') };
  const users = { findById: async () => alice, findByUsername: async () => alice };
  const apiKeys = await openApiKeys({ database: ':memory:', edition: 'Professional', users });
  const errors = [];
  const admin = createAdmin({ apiKeys, users, edition: 'Professional', onError: (error) => errors.push(error.message) });
  const headers = {
    authorization: 'Basic ' + btoa('alice:secret'),
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const mcp = await admin.fetch(new Request('http://localhost/mcp', { method: 'POST', headers, body }));
  const me = await admin.fetch(new Request('http://localhost/api/v1/me', { headers }));
  console.log(JSON.stringify({ mcp: mcp.status, text: await mcp.text(), me: me.status, errors }));
  await admin.close();
  await apiKeys.close();
`;

async function run(hide: 'yes' | 'no') {
  const hook = `data:text/javascript,${encodeURIComponent(withoutSdk)}`;
  // Node 22 warns of its SQLite, Node 26 of `register`.
  const quiet = ['--disable-warning=ExperimentalWarning', '--disable-warning=DEP0205'];
  const nodeArguments = [...quiet, '--import', hook, await compiled({ source: program })];
  const child = spawn(process.execPath, nodeArguments, { cwd: root, env: { ...process.env, HIDE_SDK: hide } });
  let output = '';
  let complaints = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr.on('data', (chunk) => {
    complaints += chunk;
  });
  const code = await new Promise((resolve) => child.on('close', resolve));
  expect(complaints).toBe('');
  expect(code).toBe(0);
  return JSON.parse(output);
}

it('without the MCP SDK the endpoint answers 501 and says what to install; all else works', async () => {
  const message =
    'The MCP endpoint needs the package `@modelcontextprotocol/sdk` 1.26 or newer: npm install @modelcontextprotocol/sdk';
  const { mcp, text, me, errors } = await run('yes');
  expect(mcp).toBe(501);
  expect(JSON.parse(text)).toEqual({ errorMessage: message, stackTrace: null });
  expect(errors).toEqual([message]);
  expect(me).toBe(200);
});

it('with the MCP SDK the same program is served (control)', async () => {
  expect(await run('no')).toMatchObject({ mcp: 200, me: 200, errors: [] });
});
