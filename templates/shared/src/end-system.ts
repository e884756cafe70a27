/**
 * The end system: the only file that knows what is behind this connector. Change it to connect a real product; the routes in
 * connector.ts can stay as they are.
 *
 * `call` throws failures as errors of the contract, with the end system's own code and message, and `readResponse` throws what
 * is not as expected, so nothing here needs a try.
 */
import { NotFoundError } from 'concordat';
import { endSystemFetch, readResponse } from 'concordat/connector';
import { z } from 'zod';
import { cursor, isAfter, toCursor } from './cursor.js';
import { startSample } from './sample/service.js';

const url = readUrl();

// Without a URL this is the bundled sample, a small product that reports failures in the usual way.
const endSystem = url
  ? { url, preset: '{{preset}}' as const }
  : { url: await startSample(), preset: 'generic' as const };

const call = endSystemFetch({ preset: endSystem.preset });

/** Printed when the connector starts. */
export const about = url ?? `the bundled sample at ${endSystem.url}; set END_SYSTEM_URL for a real one`;

/** What the service sends to log in. */
export const parameters = z.object({ user: z.string().min(1), password: z.string().min(1) });

/** The headers that it sends with every later request. */
export const session = z.object({ 'x-session': z.string().min(1) });
export type Session = z.output<typeof session>;

/** The query of `GET /items`: the items by last change. A cursor is the `nextCursor` of the previous page. */
export const itemQuery = z.object({
  updatedSince: z.iso.datetime({ offset: true }).optional(),
  cursor: cursor.optional(),
});

/** The body of `POST /items`. */
export const newItem = z.object({ title: z.string().trim().min(1).max(200) });

/** The body of `PUT /items/:id`: the whole item, so that sending it twice changes nothing. */
export const itemUpdate = newItem.extend({ done: z.boolean() });

/** What the service gets. */
export interface Item {
  id: string;
  title: string;
  done: boolean;
  updatedAt: string;
}

/** What this connector reads of the end system's responses. */
const task = z
  .object({ id: z.number(), title: z.string(), done: z.boolean(), changed: z.string() })
  .transform(({ id, title, done, changed }): Item => ({ id: String(id), title, done, updatedAt: changed }));
const taskPage = z.object({ tasks: z.array(task), nextPage: z.number().nullable() });

/** The end system refuses a wrong password with a 401, and so does this connector. */
export async function logIn(credentials: z.output<typeof parameters>): Promise<Session> {
  const response = await send('/login', { method: 'POST', json: credentials });
  const { token } = await readResponse(response, z.object({ token: z.string() }));
  return { 'x-session': token };
}

export async function logOut(session: Session): Promise<void> {
  await send('/login', { method: 'DELETE', session });
}

/**
 * A page of the items by last change. It begins after the cursor's item, not at a page number: an item that changes while the
 * service reads moves to the end, and with page numbers all others would move up, one of them to a page already read.
 */
export async function listItems(session: Session, { updatedSince, cursor }: z.output<typeof itemQuery>) {
  const since = cursor?.updatedAt ?? updatedSince;
  for (let page = 1; ; page += 1) {
    const query = new URLSearchParams({ page: String(page), ...(since === undefined ? {} : { changed_since: since }) });
    const { tasks, nextPage } = await readResponse(await send(`/tasks?${query}`, { session }), taskPage);
    const items = tasks.filter((item) => isAfter(item, cursor));
    const last = items.at(-1);
    if (nextPage === null) return { items, nextCursor: null };
    // More items than a page holds may have changed at the cursor's very moment.
    if (last !== undefined) return { items, nextCursor: toCursor(last) };
  }
}

export async function getItem(session: Session, id: string): Promise<Item> {
  return readResponse(await send(pathOf(id), { session }), task);
}

/** The file of an item as a stream, so that it is never in memory as a whole. */
export async function getFile(session: Session, id: string) {
  const response = await send(`${pathOf(id)}/file`, { session, accept: '*/*' });
  if (response.body === null) throw new NotFoundError(`Item ${id} has no file.`);
  const headers: Record<string, string> = {
    'content-type': response.headers.get('content-type') ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  };
  const length = response.headers.get('content-length');
  // Of a file that arrived compressed all the same, it is the length of what fetch has decompressed.
  if (length !== null && !response.headers.has('content-encoding')) headers['content-length'] = length;
  return { headers, body: response.body };
}

export async function createItem(session: Session, item: z.output<typeof newItem>): Promise<Item> {
  return readResponse(await send('/tasks', { method: 'POST', session, json: item }), task);
}

export async function updateItem(session: Session, id: string, update: z.output<typeof itemUpdate>): Promise<Item> {
  const response = await send(pathOf(id), { method: 'PUT', session, json: update });
  return readResponse(response, task);
}

/** @throws NotFoundError for "." and "..", which would make the URL that of something else. */
function pathOf(id: string): string {
  if (/^\.\.?$/.test(id)) throw new NotFoundError(`There is no item ${id}.`);
  return `/tasks/${encodeURIComponent(id)}`;
}

/** @throws Error for a URL that is none, and for a missing one in production: the sample is only for trying things. */
function readUrl(): string | undefined {
  const { END_SYSTEM_URL: url, NODE_ENV } = process.env;
  if (!url && NODE_ENV !== 'production') return undefined;
  if (url && URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url.replace(/\/+$/, '');
  throw new Error(
    `END_SYSTEM_URL must be the URL of the end system, such as https://tracker.example.com, not "${url ?? ''}".`,
  );
}

interface Sending {
  method?: string;
  session?: Session;
  json?: unknown;
  accept?: string;
}

async function send(
  path: string,
  { method = 'GET', session, json, accept = 'application/json' }: Sending,
): Promise<Response> {
  const headers = new Headers({ accept });
  // Without compression, so that the length is the one the end system says.
  if (accept === '*/*') headers.set('accept-encoding', 'identity');
  if (session !== undefined) headers.set('authorization', `Bearer ${session['x-session']}`);
  if (json !== undefined) headers.set('content-type', 'application/json');
  return call(endSystem.url + path, {
    method,
    headers,
    body: json === undefined ? null : JSON.stringify(json),
  });
}
