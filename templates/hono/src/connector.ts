import { createConnector, logError, readJson, readQuery, serve } from 'concordat/connector';
import * as endSystem from './end-system.js';

/** Logs in, requires a session on every route below, and turns all errors into responses of the contract. */
export const connector = createConnector({
  initialize: {
    parameters: endSystem.parameters,
    handler: ({ parameters }) => endSystem.logIn(parameters),
  },
  session: endSystem.session,
  cleanup: ({ session }) => endSystem.logOut(session),
  openPaths: ['/health'], // the Dockerfile's health check
  onError: logError, // your own mistakes with file and line; JSON lines with NODE_ENV=production
});

connector.get('/health', (c) => c.json({ ok: true }));

connector.get('/items', async (c) => {
  const query = await readQuery(c, endSystem.itemQuery);
  return c.json(await endSystem.listItems(c.get('session'), query));
});

connector.get('/items/:id', async (c) => {
  return c.json(await endSystem.getItem(c.get('session'), c.req.param('id')));
});

connector.get('/items/:id/file', async (c) => {
  const { headers, body } = await endSystem.getFile(c.get('session'), c.req.param('id'));
  return c.body(body, 200, headers);
});

connector.post('/items', async (c) => {
  const item = await readJson(c, endSystem.newItem);
  return c.json(await endSystem.createItem(c.get('session'), item), 201);
});

connector.put('/items/:id', async (c) => {
  const update = await readJson(c, endSystem.itemUpdate);
  return c.json(await endSystem.updateItem(c.get('session'), c.req.param('id'), update));
});

export const start = (options: { port: number; hostname?: string }) => serve(connector, options);
