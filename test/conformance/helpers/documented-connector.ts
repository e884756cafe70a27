import { BadRequestError, NotFoundError } from 'concordat';
import { createConnector, readJson, readQuery, serve } from 'concordat/connector';
import { Hono } from 'hono';
import { onTestFinished } from 'vitest';
import { z } from 'zod';

/** A document as an author writes it by hand, with references and a route that is open. */
export const document = {
  openapi: '3.1.0',
  info: { title: 'Loans of a library', version: '1' },
  security: [{ session: [] }],
  paths: {
    '/initialize': { post: { security: [], requestBody: { content: { 'application/json': { schema: {} } } } } },
    '/health': { get: { security: [] } },
    '/loans': {
      get: {
        parameters: [
          { $ref: '#/components/parameters/limit' },
          { name: 'state', in: 'query', required: true, schema: { $ref: '#/components/schemas/State' } },
        ],
      },
      post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/NewLoan' } } } } },
    },
    '/loans/{number}': {
      parameters: [{ name: 'number', in: 'path', required: true, schema: { type: 'integer', minimum: 1 } }],
      get: {},
    },
    '/readers/{name}': {
      get: { parameters: [{ name: 'name', in: 'path', required: true, schema: { type: 'string' } }] },
    },
  },
  components: {
    securitySchemes: { session: { type: 'apiKey', in: 'header', name: 'x-session' } },
    parameters: { limit: { name: 'limit', in: 'query', schema: { type: 'integer', minimum: 1, maximum: 100 } } },
    schemas: {
      State: { type: 'string', enum: ['open', 'over'] },
      NewLoan: {
        type: 'object',
        required: ['book', 'reader'],
        properties: {
          book: { type: 'string', minLength: 1, maxLength: 40 },
          reader: { type: 'string', format: 'email' },
          until: { type: 'string', format: 'date' },
          note: { type: 'string' },
        },
      },
    },
  },
};

const newLoan = z.object({
  book: z.string().min(1).max(40),
  reader: z.email(),
  until: z.iso.date().optional(),
  note: z.string().optional(),
});

/** A connector that does what its document says, on a port of its own; `change` adds routes that come first. */
export async function documentedConnector(change: (app: Hono) => void = () => {}) {
  const asked: string[] = [];
  const app = new Hono();
  app.use(async (c, next) => {
    asked.push(`${c.req.method} ${c.req.path}${new URL(c.req.url).search}`);
    await next();
  });
  change(app);
  app.get('/openapi.json', (c) => c.json(document));
  const connector = createConnector({
    initialize: { parameters: z.object({ user: z.string() }), handler: () => ({ 'x-session': 'a-session-for-tests' }) },
    session: z.object({ 'x-session': z.string() }),
    verify: (session) => session['x-session'] === 'a-session-for-tests',
    onError: () => {},
  });
  connector.get('/loans', async (c) => {
    const query = z.object({ limit: z.coerce.number().int().min(1).default(10), state: z.enum(['open', 'over']) });
    await readQuery(c, query);
    return c.json([]);
  });
  connector.post('/loans', async (c) => c.json(await readJson(c, newLoan), 201));
  connector.get('/loans/:number', (c) => {
    if (!/^\d+$/.test(c.req.param('number'))) throw new BadRequestError('A loan has a number.');
    if (c.req.param('number') !== '1') throw new NotFoundError();
    return c.json({ number: 1 });
  });
  connector.get('/readers/:name', (c) => {
    throw new NotFoundError(`No reader ${c.req.param('name')}`);
  });
  app.route('/', connector);
  const server = await serve(app, { port: 0 });
  onTestFinished(() => server.close());
  return {
    url: server.url,
    asked,
    probes: { initialize: { parameters: { user: 'ada' } }, readable: '/loans/1', unknown: '/loans/2' },
  };
}
