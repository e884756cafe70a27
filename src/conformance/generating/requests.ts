import { isSafeMethod, seededRandom, withoutTrailingSlashes } from '../../internal/index.js';
import type { Settings } from '../options.js';
import type { ReadyRequest } from '../probes.js';
import { type Json, type Operation, objectAt, type Parameter, readOperations } from './document.js';
import { plainValue, readSchema } from './schemas.js';
import { isSpread, type Values, writeHeaders, writePath } from './write-parameters.js';
import { strange, wrongBodies, wrongTexts } from './wrong-values.js';

/** A request that a document does not allow, but for one thing like one that it allows. */
export interface GeneratedRequest {
  readonly request: ReadyRequest;
  readonly hasSession: boolean;
  /** A clause for a person: "`limit` in the query is …". */
  readonly wrong: string;
  /** The statuses that refuse it. */
  readonly expected: readonly number[];
  /** Whether it may also be served: it is not known to be wrong. */
  readonly mayBeServed: boolean;
  /** What its path begins with because of `servers`. */
  readonly prefix: string;
}

/** The same requests for the same seed: one of each operation in turn, until there are enough. */
export function generateRequests(document: Json, settings: Settings): GeneratedRequest[] {
  const { baseUrl, allowWrites, initialize, cleanupPath } = settings;
  const { requests, seed } = settings.openapi!;
  const except = [initialize.path, cleanupPath]; // which other cases check
  const shuffle = shuffler(seed);
  const operations = readOperations(document)
    .map((operation) => ({ ...operation, prefix: pathPrefix(operation.server, baseUrl) }))
    .map((operation) => ({ ...operation, path: operation.prefix + operation.path }))
    .filter((operation) => (allowWrites || isSafeMethod(operation.method)) && !except.includes(operation.path));
  const ofEach = shuffle(operations)
    .slice(0, requests)
    .map((operation) => shuffle(requestsFor(document, operation)));
  const most = Math.max(0, ...ofEach.map(({ length }) => length));
  const inTurn = Array.from({ length: most }, (_, round) => ofEach.flatMap((list) => list[round] ?? []));
  return inTurn.flat().slice(0, requests);
}

function requestsFor(document: Json, operation: Operation & { prefix: string }): GeneratedRequest[] {
  const { method, prefix, parameters, body, hasUnknownBody, needsSession } = operation;
  const plain = new Map(parameters.map((each) => [each, each.example ?? plainValue(document, each.schema)]));
  const right: Values = new Map([...plain].filter(([{ required }]) => required));
  const rightBody = body && (body.example ?? plainValue(document, body.schema));
  const make = (values: Values, json: unknown = rightBody): ReadyRequest => ({
    method,
    path: writePath(operation.path, values),
    headers: { ...writeHeaders(values), ...(body && { 'content-type': body.type }) },
    body: json === undefined ? undefined : JSON.stringify(json),
  });
  const hasPlace = parameters.some((each) => each.in === 'path');
  const refused = hasPlace ? [400, 403, 404] : [400, 403];
  const wrong = { hasSession: true, mayBeServed: false, expected: refused, prefix };
  const made: GeneratedRequest[] = [];
  if (needsSession) {
    // A value that was made up may be none for this path, which then is a path without a route.
    const isPath = parameters.every((each) => each.in !== 'path' || allows(document, each, plain.get(each)));
    made.push({
      ...wrong,
      request: make(right),
      hasSession: false,
      wrong: 'it is sent without a session',
      expected: isPath ? [401] : [401, 404],
    });
  }
  // The missing body would be a second thing wrong. Who asks for the session first does not get that far.
  if (hasUnknownBody) return made;
  for (const each of parameters) {
    if (!isJudged(each, plain.get(each))) continue;
    const place = `\`${each.name}\` in the ${each.in}`;
    for (const { value, is } of wrongTexts(document, each))
      made.push({ ...wrong, request: make(new Map([...right, [each, value]])), wrong: `${place} ${is}` });
    if (each.in === 'path' && allows(document, each, strange)) {
      const request = make(new Map([...right, [each, strange]]));
      made.push({ ...wrong, request, wrong: `${place} is "${strange}"`, mayBeServed: true });
    }
    if (each.in === 'query' && each.required) {
      const request = make(new Map([...right].filter(([other]) => other !== each)));
      made.push({ ...wrong, request, wrong: `\`${each.name}\` is missing in the query` });
    }
  }
  for (const { value, is } of body ? wrongBodies(document, body) : [])
    made.push({ ...wrong, request: make(right, value), wrong: is });
  return made;
}

/** Whether a parameter may have a value, as far as can be told. */
const allows = (document: Json, { schema }: Parameter, value: unknown) =>
  readSchema(document, schema)?.(value) !== false;

/** Whether requests are derived that are wrong because of a parameter. */
const isJudged = (parameter: Parameter, value: unknown) =>
  (parameter.in === 'path' || parameter.in === 'query') && !isSpread(parameter, value);

/** Fisher and Yates, with random numbers that depend on the seed only. */
function shuffler(seed: number) {
  const random = seededRandom(seed);
  return <Item>(items: readonly Item[]): Item[] => {
    const shuffled = [...items];
    for (let last = shuffled.length - 1; last > 0; last--) {
      const other = Math.floor(random() * (last + 1));
      [shuffled[last], shuffled[other]] = [shuffled[other] as Item, shuffled[last] as Item];
    }
    return shuffled;
  };
}

/** What comes before the paths of a server: the path of its URL, less what the base URL has of it already. */
function pathPrefix(server: unknown, baseUrl: string): string {
  const url = urlOf(server);
  if (url === undefined || !URL.canParse(url, baseUrl)) return '';
  const base = withoutTrailingSlashes(new URL(baseUrl).pathname);
  const path = withoutTrailingSlashes(new URL(url, baseUrl).pathname);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : '';
}

/** The URL with the defaults of its variables; `undefined` if one has none. */
function urlOf(server: unknown): string | undefined {
  const { url, variables } = objectAt(server);
  if (typeof url !== 'string') return undefined;
  const filled = url.replaceAll(/\{([^{}]*)\}/g, (variable, name: string) =>
    String(objectAt(objectAt(variables)[name]).default ?? variable),
  );
  return filled.includes('{') ? undefined : filled;
}
