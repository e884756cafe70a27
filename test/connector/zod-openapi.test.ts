import { createRoute, OpenAPIHono, z } from '@hono/zod-openapi';
import { zValidator } from '@hono/zod-validator';
import { describe, expect, it } from 'vitest';
import { errorsOf, send } from './support/send.js';
import { makeConnector, start, withToken } from './support/start.js';

const issue = z.object({ title: z.string().min(1), state: z.enum(['open', 'closed']).default('open') });

/** Routes that are described for OpenAPI, as @hono/zod-openapi documents it. */
function describedRoutes() {
  const api = new OpenAPIHono();
  const route = createRoute({
    method: 'post',
    path: '/issues',
    request: { body: { content: { 'application/json': { schema: issue } }, required: true } },
    responses: { 201: { description: 'Created', content: { 'application/json': { schema: issue } } } },
  });
  api.openapi(route, (c) => c.json(c.req.valid('json'), 201));
  api.doc('/openapi.json', { openapi: '3.0.0', info: { title: 'Issues', version: '1' } });
  return api;
}

async function startWith(library: 'zod-openapi' | 'zod-validator') {
  const connector = makeConnector();
  if (library === 'zod-openapi') connector.route('/', describedRoutes());
  else connector.post('/issues', zValidator('json', issue), (c) => c.json(c.req.valid('json'), 201));
  return start(connector);
}

const post = (body: string, headers = withToken) => ({
  method: 'POST',
  path: '/issues',
  headers: { ...headers, 'content-type': 'application/json' },
  body,
});

describe.each(['zod-openapi', 'zod-validator'] as const)('routes that are validated by %s', (library) => {
  it('get the data that fits', async () => {
    const response = await send(await startWith(library), post('{"title":"Lamp"}'));
    expect([response.status, JSON.parse(response.body)]).toEqual([201, { title: 'Lamp', state: 'open' }]);
  });

  it.each([
    ['data that does not fit', '{"title":""}', 'title'],
    ['broken JSON', '{"title":', 'JSON'],
  ])('answer %s with a 400 in the body of the contract (E4)', async (_what, body, named) => {
    const response = await send(await startWith(library), post(body));
    expect(response.status).toBe(400);
    expect(errorsOf(response)).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(named) });
  });

  it('need a session first (D5)', async () => {
    const response = await send(await startWith(library), post('{"title":""}', { 'x-token': '' }));
    expect([response.status, errorsOf(response).code]).toEqual([401, 'UNAUTHORIZED']);
  });
});

it('a description of the routes is served to those who have a session', async () => {
  const url = await startWith('zod-openapi');
  const { status, body } = await send(url, { path: '/openapi.json', headers: withToken });
  expect([status, Object.keys(JSON.parse(body).paths)]).toEqual([200, ['/issues']]);
});
