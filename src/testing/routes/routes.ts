import { NotFoundError } from '../../contract/index.js';
import { type Clock, cancelBody, decodePercent, isResponse, telling } from '../../internal/index.js';
import type { RouteContext, RouteHandler } from '../fault-types.js';
import { emptyReply, jsonReply, readResponse, type SimulatedResponse } from '../http/reply.js';
import type { Recording } from '../recording.js';
import type { JournalEntry, SimulateConnectorOptions } from '../types.js';
import { parsePattern } from './pattern.js';
import { replay } from './replay.js';
import { Resource } from './resource.js';

/** A request and what a route needs to know about it. */
export interface RoutedRequest {
  readonly entry: JournalEntry;
  /** Without `basePath`. */
  readonly url: URL;
  /** Creates a `Request` for a handler. */
  readonly request: () => Request;
}

type Paths = Record<'initializePath' | 'cleanupPath', string>;

/** Those of the simulator itself come before all routes. */
export function kindOf({ initializePath, cleanupPath }: Paths, method: string, path: string): JournalEntry['kind'] {
  if (path === initializePath) return 'login';
  return path === cleanupPath && method === 'POST' ? 'cleanup' : 'request';
}

interface RouteOptions extends Pick<SimulateConnectorOptions, 'login' | 'routes' | 'resources'>, Paths {
  recording?: Recording | undefined;
}

/** What answers once session and quota have let a request pass. @throws TypeError naming the option that is wrong. */
export function createRoutes({ login, routes, resources, recording, ...paths }: RouteOptions, clock: Clock) {
  const stored = new Map(
    Object.entries(resources ?? {}).map(([name, items]) => [name, toResource(name, items, clock)]),
  );
  const fetchHandler = toFetchHandler(routes);
  if (login === 'routes' && fetchHandler === undefined) {
    throw new TypeError('`login` can be "routes" only if `routes` is a fetch handler, such as a connector.');
  }
  const patterns = fetchHandler === undefined ? Object.entries(routes ?? {}).map((route) => toRoute(route, paths)) : [];

  /** @throws whatever a route throws; NotFoundError where there is none. */
  async function respond(routed: RoutedRequest): Promise<SimulatedResponse> {
    const { entry, url } = routed;
    for (const asked of entry.method === 'HEAD' ? [entry, { ...entry, method: 'GET' }] : [entry]) {
      for (const { pattern, response } of patterns) {
        const params = pattern.match(asked);
        if (params === undefined) continue;
        return typeof response === 'function'
          ? callHandler(response as RouteHandler, routed, params)
          : toReply(response);
      }
    }
    const [, name = '', id, ...rest] = entry.path.split('/');
    const resource = rest.length === 0 ? stored.get(decodePercent(name)) : undefined;
    if (resource !== undefined) return resource.respond(entry, id ? decodePercent(id) : undefined, url.searchParams);
    if (fetchHandler !== undefined) return readResponse(await fetchHandler(routed.request()));
    if (recording !== undefined) return replay(recording, entry, url.searchParams);
    const isEmpty = routes === undefined && resources === undefined;
    if (isEmpty) return jsonReply(200, { method: entry.method, path: entry.path });
    throw new NotFoundError(`The simulated connector has nothing at ${entry.path}.`);
  }
  return { resources: stored, respond };
}

function toRoute([text, response]: [string, RouteHandler | object], paths: Paths) {
  const pattern = parsePattern(text, 'routes');
  const [, method = 'POST', path] = /^([A-Z]+)? *(\/.*)$/.exec(text) ?? [];
  const kind = path === undefined ? pattern.kind : kindOf(paths, method, new URL(`http://connector${path}`).pathname);
  if (kind === 'request') return { pattern, response };
  const instead = "use a step of `script`, a fault, or a fetch handler with `login: 'routes'`";
  throw new TypeError(`\`routes\` cannot replace "${text}": ${instead}.`);
}

export async function callHandler(
  handler: RouteHandler,
  { entry, url, request }: RoutedRequest,
  params: Readonly<Record<string, string>>,
): Promise<SimulatedResponse> {
  const context: RouteContext = { params, query: url.searchParams, json: entry.json, session: entry.session };
  const value = await handler(request(), context);
  const reply = await toReply(value);
  if (!isResponse(value) || !(reply.body instanceof ReadableStream)) return reply;
  // A clone, whose original is otherwise left for the next request.
  return {
    ...reply,
    body: telling(
      reply.body,
      () => {},
      (reason) => cancelBody(value, reason),
    ),
  };
}

async function toReply(value: unknown): Promise<SimulatedResponse> {
  if (value === undefined) return emptyReply(204);
  // A `Response` may serve more than one request.
  return isResponse(value) ? readResponse(value.clone()) : jsonReply(200, value);
}

function toFetchHandler(routes: SimulateConnectorOptions['routes']) {
  if (typeof routes === 'function') return routes;
  const { fetch } = (routes ?? {}) as { fetch?: unknown };
  return typeof fetch === 'function' ? (request: Request) => fetch.call(routes, request) : undefined;
}

function toResource(name: string, items: unknown, clock: Clock): Resource {
  if (name === '' || name.includes('/')) throw new TypeError(`\`resources\`: "${name}" cannot be part of a path.`);
  const problem = `\`resources.${name}\` must be an array of objects with an \`id\`.`;
  if (!Array.isArray(items)) throw new TypeError(problem);
  if (items.some((item) => !['string', 'number'].includes(typeof item?.id))) throw new TypeError(problem);
  const ids = new Set<string>();
  const twice = items.find(({ id }) => ids.size === ids.add(String(id)).size);
  if (twice !== undefined) throw new TypeError(`\`resources.${name}\` has two items with the id ${twice.id}.`);
  return new Resource(name, items, clock);
}
