import { readFile, rename, writeFile } from 'node:fs/promises';
import { isConnectorError } from 'concordat';
import { createConnectorClient, isInitializeError, isRequestError } from 'concordat/client';
import { z } from 'zod';

const {
  SOURCE = 'http://127.0.0.1:4501',
  TARGET = 'http://127.0.0.1:4502',
  STATE = 'state.json',
  ROUNDS = '1',
  SETTLE_MS = '5000', // no request may run longer than this at the target
} = process.env;
const connect = (baseUrl: string) => createConnectorClient({ baseUrl, initialize: { parameters: { token: 'demo' } } });
const source = connect(SOURCE);
const target = connect(TARGET);

const Item = z.object({ id: z.string(), title: z.string(), done: z.boolean(), updatedAt: z.string() });
const Copy = Item.extend({ marker: z.string().nullable() });
const pageOf = <S extends z.ZodType>(item: S) => z.object({ items: z.array(item), nextCursor: z.string().nullable() });
const next = ({ nextCursor: cursor }: { nextCursor: string | null }) => (cursor === null ? undefined : { cursor });
type Item = z.output<typeof Item>;
type Copy = z.output<typeof Copy>;

/** All that outlives a kill. A round is over when `cursor` is gone; the next one begins at `since`. */
const State = z.object({
  round: z.number(),
  since: z.string().optional(),
  cursor: z.string().optional(),
  newest: z.string().optional(), // the last change that was read
  failed: z.array(z.string()), // ids to try again
  isUnsure: z.boolean().optional(), // whether a write may still be running at the target
});
type State = z.output<typeof State>;

const read = (): Promise<State> =>
  readFile(STATE, 'utf8').then(
    (text) => State.parse(JSON.parse(text)),
    () => ({ round: 1, failed: [] }),
  );

/** Renaming is atomic: a kill leaves the old state or the new one. */
async function save(state: State): Promise<void> {
  await writeFile(`${STATE}.new`, JSON.stringify(state));
  await rename(`${STATE}.new`, STATE);
}

/** The target's items by marker: the id of the original. They are the memory of what was written, also just before a kill. */
async function readCopies(): Promise<Map<string, Copy>> {
  const copies = new Map<string, Copy>();
  const twice: string[] = [];
  for await (const page of target.pages('/items', { next, schema: pageOf(Copy) })) {
    for (const copy of page.items) {
      if (copy.marker === null) continue;
      if (copies.has(copy.marker)) twice.push(copy.marker);
      copies.set(copy.marker, copy);
    }
  }
  if (twice.length > 0) console.error(`${twice.length} copied twice: ${twice.join(', ')}`);
  return copies;
}

async function write(item: Item, copies: Map<string, Copy>): Promise<boolean> {
  const { id: marker, title, done } = item;
  const copy = copies.get(marker);
  if (copy?.title === title && copy.done === done) return false;
  const json = { title, done, marker };
  // A PUT is repeated after a failure, a POST is not: if its response is lost, the next round finds the marker.
  const request =
    copy === undefined
      ? target.post('/items', { json, schema: Copy })
      : target.put(`/items/${copy.id}`, { json, schema: Copy });
  copies.set(marker, await request);
  return true;
}

async function runRound(): Promise<void> {
  const state = await read();
  if (state.isUnsure) {
    console.error(`a write may still be running: waiting ${Number(SETTLE_MS) / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, Number(SETTLE_MS)));
  }
  const copies = await readCopies();
  const failed = new Set(state.failed);
  let written = 0;
  let isUnsure = false;
  state.isUnsure = true; // unless this round comes to its end
  await save(state);

  /** One record may fail; it is tried again in the next round. Whatever concerns all of them ends the round. */
  const attempt = async (id: string, work: () => Promise<unknown>) => {
    try {
      await work();
      failed.delete(id);
    } catch (error) {
      if (!isConnectorError(error) && !isRequestError(error)) throw error;
      failed.add(id);
      if (!isConnectorError(error) || error.status >= 500) isUnsure = true;
      console.error(error.message);
    }
  };
  const copy = (item: Item) =>
    attempt(item.id, async () => {
      if (await write(item, copies)) written += 1;
    });

  for (const id of state.failed) {
    const item = await source.get(`/items/${id}`, { schema: Item }).catch((error: unknown) => {
      if (isConnectorError(error, 'not-found')) return undefined; // deleted in the meantime
      throw error;
    });
    if (item === undefined) failed.delete(id);
    else await copy(item);
  }
  do {
    const query = { updatedSince: state.since, cursor: state.cursor };
    const page = await source.get('/items', { query, schema: pageOf(Item) });
    await Promise.all(page.items.map(copy));
    // The cursor moves when its page is done, never before.
    state.cursor = page.nextCursor ?? undefined;
    state.newest = page.items.at(-1)?.updatedAt ?? state.newest;
    await save({ ...state, failed: [...failed] });
  } while (state.cursor !== undefined);

  const orphans = await findOrphans(copies);
  for (const [marker, { id }] of orphans) await attempt(marker, () => target.delete(`/items/${id}`));
  // `since` includes its moment: items that change in that very moment are read again, and are equal.
  await save({ round: state.round + 1, since: state.newest, newest: state.newest, failed: [...failed], isUnsure });
  console.log(`round ${state.round}: ${written} written, ${orphans.size} to delete, ${failed.size} failed`);
}

/** Copies without an original. No list of changes names them: it takes a whole list, never a part. In production, once a day. */
async function findOrphans(copies: Map<string, Copy>): Promise<Map<string, Copy>> {
  const orphans = new Map(copies);
  for await (const page of source.pages('/items', { next, schema: pageOf(Item) })) {
    for (const { id } of page.items) orphans.delete(id);
  }
  return orphans;
}

for (let left = Number(ROUNDS); left > 0; left -= 1) {
  try {
    await runRound();
  } catch (error) {
    if (isInitializeError(error)) console.error(`no session: ${error.message}`);
    else if (isConnectorError(error) || isRequestError(error)) console.error(`the round ends early: ${error.message}`);
    else throw error; // a mistake in this program
    const waitMs = isInitializeError(error) && error.retryAt ? error.retryAt.getTime() - Date.now() : 1000;
    if (left > 1) await new Promise((resolve) => setTimeout(resolve, Math.max(waitMs, 0)));
    else process.exitCode = 1;
  }
}
await Promise.all([source.close(), target.close()]);
