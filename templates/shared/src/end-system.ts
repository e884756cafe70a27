/**
 * The end system: the only file that knows what is behind this connector. Change it to connect a real product; the routes in
 * connector.ts can stay as they are.
 *
 * `call` throws failures as errors of the contract, with the end system's own code and message, so nothing here needs a try.
 */
import { NotFoundError } from 'concordat';
import { endSystemFetch } from 'concordat/connector';
import { z } from 'zod';
import { startSample } from './sample/service.js';

const url = process.env.END_SYSTEM_URL?.replace(/\/+$/, '');

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

/** The query of `GET /items`. A cursor is the `nextCursor` of the previous page. */
export const itemQuery = z.object({
  updatedSince: z.iso.datetime({ offset: true }).optional(),
  cursor: z
    .string()
    .regex(/^\d{1,6}$/, 'is not a cursor of this connector')
    .optional(),
});

/** The body of `POST /items`. */
export const newItem = z.object({ title: z.string().trim().min(1).max(200) });

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
  const { token } = z.object({ token: z.string() }).parse(await response.json());
  return { 'x-session': token };
}

export async function logOut(session: Session): Promise<void> {
  await send('/login', { method: 'DELETE', session });
}

export async function listItems(session: Session, { updatedSince, cursor }: z.output<typeof itemQuery>) {
  const query = new URLSearchParams({ page: cursor ?? '1' });
  if (updatedSince !== undefined) query.set('changed_since', updatedSince);
  const response = await send(`/tasks?${query}`, { session });
  const { tasks, nextPage } = taskPage.parse(await response.json());
  return { items: tasks, nextCursor: nextPage === null ? null : String(nextPage) };
}

export async function getItem(session: Session, id: string): Promise<Item> {
  const response = await send(`/tasks/${encodeURIComponent(id)}`, { session });
  return task.parse(await response.json());
}

/** The file of an item as a stream, so that it is never in memory as a whole. */
export async function getFile(session: Session, id: string) {
  const response = await send(`/tasks/${encodeURIComponent(id)}/file`, { session, accept: '*/*' });
  if (response.body === null) throw new NotFoundError(`Item ${id} has no file.`);
  const headers: Record<string, string> = {
    'content-type': response.headers.get('content-type') ?? 'application/octet-stream',
    'x-content-type-options': 'nosniff',
  };
  const length = response.headers.get('content-length');
  if (length !== null) headers['content-length'] = length;
  return { headers, body: response.body };
}

export async function createItem(session: Session, item: z.output<typeof newItem>): Promise<Item> {
  const response = await send('/tasks', { method: 'POST', session, json: item });
  return task.parse(await response.json());
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
  const headers: Record<string, string> = { accept };
  // Without compression, so that the length is the one the end system says.
  if (accept === '*/*') headers['accept-encoding'] = 'identity';
  if (session !== undefined) headers.authorization = `Bearer ${session['x-session']}`;
  if (json !== undefined) headers['content-type'] = 'application/json';
  return call(endSystem.url + path, {
    method,
    headers,
    body: json === undefined ? null : JSON.stringify(json),
  });
}
