import { NotFoundError } from '../../contract/index.js';
import type { Clock } from '../../internal/index.js';
import type { RouteContext, RouteHandler } from '../fault-types.js';
import { emptyReply, jsonReply, readResponse, type SimulatedResponse } from '../http/reply.js';
import type { Recording } from '../recording.js';
import type { JournalEntry, SimulateConnectorOptions } from '../types.js';
import { decode, type Pattern, parsePattern } from './pattern.js';
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

type RouteOptions = Pick<SimulateConnectorOptions, 'routes' | 'resources' | 'recording'>;

/** What the connector itself answers, once session and quota have let a request pass. */
export class Routes {
  readonly resources = new Map<string, Resource>();
  readonly #patterns: { pattern: Pattern; response: RouteHandler | object }[] = [];
  readonly #fetchHandler: ((request: Request) => Response | Promise<Response>) | undefined;
  readonly #echo: boolean;
  readonly #recording: Recording | undefined;

  /** @throws TypeError naming the option that is wrong. */
  constructor({ routes, resources, recording }: RouteOptions, clock: Clock) {
    this.#recording = recording;
    this.#echo = routes === undefined && resources === undefined;
    for (const [name, items] of Object.entries(resources ?? {})) {
      this.resources.set(name, toResource(name, items, clock));
    }
    this.#fetchHandler = toFetchHandler(routes);
    if (this.#fetchHandler !== undefined) return;
    for (const [text, response] of Object.entries(routes ?? {})) {
      const pattern = parsePattern(text, 'routes');
      if (pattern.kind !== 'request')
        throw new TypeError(`\`routes\` cannot replace "${text}": use a step or a fault.`);
      this.#patterns.push({ pattern, response });
    }
  }

  /** @throws whatever a route throws; NotFoundError where there is none. */
  async respond(routed: RoutedRequest): Promise<SimulatedResponse> {
    const { entry, url } = routed;
    for (const { pattern, response } of this.#patterns) {
      const params = pattern.match(entry);
      if (params === undefined) continue;
      return typeof response === 'function' ? callHandler(response as RouteHandler, routed, params) : toReply(response);
    }
    const [, name = '', id, ...rest] = entry.path.split('/');
    const resource = rest.length === 0 ? this.resources.get(decode(name)) : undefined;
    if (resource !== undefined) {
      return resource.respond({
        method: entry.method,
        id: id === undefined || id === '' ? undefined : decode(id),
        query: url.searchParams,
        json: entry.json,
      });
    }
    if (this.#fetchHandler !== undefined) return readResponse(await this.#fetchHandler(routed.request()));
    if (this.#recording !== undefined) return replay(this.#recording, entry, url.searchParams);
    if (this.#echo) return jsonReply(200, { method: entry.method, path: entry.path });
    throw new NotFoundError(`The simulated connector has nothing at ${entry.path}.`);
  }
}

export async function callHandler(
  handler: RouteHandler,
  { entry, url, request }: RoutedRequest,
  params: Readonly<Record<string, string>>,
): Promise<SimulatedResponse> {
  const context: RouteContext = { params, query: url.searchParams, json: entry.json, session: entry.session };
  return toReply(await handler(request(), context));
}

async function toReply(value: unknown): Promise<SimulatedResponse> {
  if (value === undefined) return emptyReply(204);
  // A route that is a `Response` serves more than one request.
  return value instanceof Response ? readResponse(value.clone()) : jsonReply(200, value);
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
  return new Resource(name, items, clock);
}
