import { NotFoundError } from 'concordat';
import { createConnector, logError, readJson, readQuery, serve } from 'concordat/connector';
import { z } from 'zod';

const fields = z.object({ title: z.string().min(1), done: z.boolean(), marker: z.string().nullable() });
type Item = z.output<typeof fields> & { id: string; updatedAt: string };

/** A connector with its items in memory. Lists are by last change, then by id, and a cursor is the place of the last item. */
export function createProduct(items: Item[] = []) {
  const connector = createConnector({
    initialize: {
      parameters: z.object({ token: z.string() }),
      handler: ({ parameters: { token } }) => ({ 'x-token': token }),
    },
    session: z.object({ 'x-token': z.string() }),
    onError: logError,
  });
  let lastId = items.length;
  const now = () => new Date().toISOString();
  const placeOf = ({ updatedAt, id }: Item) => `${updatedAt} ${id.padStart(9, '0')}`;
  const find = (id: string): Item => {
    const item = items.find((candidate) => candidate.id === id);
    if (item === undefined) throw new NotFoundError(`There is no item ${id}.`);
    return item;
  };

  connector.get('/items', async (c) => {
    const { updatedSince = '', cursor = '' } = await readQuery(
      c,
      z.object({ updatedSince: z.string().optional(), cursor: z.string().optional() }),
    );
    const found = items.filter((item) => item.updatedAt >= updatedSince && placeOf(item) > cursor);
    const page = found.sort((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1)).slice(0, 20);
    return c.json({ items: page, nextCursor: found.length > 20 ? placeOf(page.at(-1) as Item) : null });
  });
  connector.get('/items/:id', (c) => c.json(find(c.req.param('id'))));
  connector.post('/items', async (c) => {
    lastId += 1;
    const item = { id: String(lastId), ...(await readJson(c, fields)), updatedAt: now() };
    items.push(item);
    return c.json(item, 201);
  });
  connector.put('/items/:id', async (c) => {
    return c.json(Object.assign(find(c.req.param('id')), await readJson(c, fields), { updatedAt: now() }));
  });
  connector.delete('/items/:id', (c) => {
    items.splice(items.indexOf(find(c.req.param('id'))), 1);
    return c.body(null, 204);
  });
  return connector;
}

/** Items of which fifty changed at the same moment: more than a page holds. */
export const manyItems = (): Item[] =>
  Array.from({ length: 120 }, (_, index) => ({
    id: String(index + 1),
    title: `Item ${index + 1}`,
    done: false,
    marker: null,
    updatedAt: new Date(Date.UTC(2026, 0, 1) + Math.floor(index / 50) * 1000).toISOString(),
  }));

if (process.argv[1] === import.meta.filename) {
  await serve(createProduct(manyItems()), { port: 4501 });
  await serve(createProduct(), { port: 4502 });
}
