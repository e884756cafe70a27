import { decodePercent, isObject } from '../../internal/index.js';

/** An object of a document, of which nothing is known yet. */
export type Json = Readonly<Record<string, unknown>>;

const places = ['path', 'query', 'header', 'cookie'] as const;

export interface Parameter {
  readonly name: string;
  readonly in: (typeof places)[number];
  readonly required: boolean;
  readonly schema: unknown;
  readonly example: unknown;
  /** How it is written: `form`, `deepObject` … */
  readonly style: unknown;
  /** Whether the members of an object are written one by one. */
  readonly explode: boolean;
}

/** An operation of an OpenAPI document, as far as requests depend on it. */
export interface Operation {
  readonly method: string;
  /** With its parameters in braces. */
  readonly path: string;
  /** The first of the servers that it, its path or the document has. */
  readonly server: unknown;
  readonly parameters: readonly Parameter[];
  /** The JSON body, and its content type. */
  readonly body: { readonly type: string; readonly schema: unknown; readonly example: unknown } | undefined;
  /** Whether it takes only bodies that are not known, such as a form: no request with a right one can be made. */
  readonly hasUnknownBody: boolean;
  /** Whether it declares that it needs a session. */
  readonly needsSession: boolean;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];
const jsonType = /^application\/(?:[\w.+-]+\+)?json(?: *;[ -~]*)?$/i;

/** Why no request can be derived from a document; `undefined` when some can. */
export function documentProblem(document: unknown): string | undefined {
  if (!isObject(document)) return 'it is not an object';
  const { openapi } = document;
  // YAML without quotes makes a number of it.
  if (!/^3\.[012]\b/.test(String(openapi))) {
    const is = openapi === undefined ? 'missing' : JSON.stringify(openapi).slice(0, 40);
    return `\`openapi\` is ${is}; expected 3.0, 3.1 or 3.2`;
  }
  const lost = lostReferences(document);
  if (lost.length > 0) {
    return `nothing is at ${lost.slice(0, 5).join(', ')}${lost.length > 5 ? ', …' : ''}; bundle a document of several files first`;
  }
  return readOperations(document).length === 0 ? '`paths` has no operation' : undefined;
}

/** What is data, in which `$ref` is a name like any other. */
const dataNames = new Set(['example', 'examples', 'default', 'enum', 'const']);

/** The references that lead out of the document, or nowhere: their operations and schemas would not be checked. */
function lostReferences(document: Json): string[] {
  if (document.$self !== undefined) return []; // references begin there
  const lost = new Set<string>();
  const found = new Set<unknown>([document.paths, document.components]);
  for (const node of found) {
    if (typeof node !== 'object' || node === null) continue;
    const { $ref, $id } = node as Json;
    if (typeof $id === 'string') return []; // references may begin at any schema
    // An anchor, as in `#name`, says nothing here, and so allows anything.
    if (typeof $ref === 'string' && !/^#(?!\/)/.test($ref) && lookUp(document, $ref) === undefined) lost.add($ref);
    for (const [name, value] of Object.entries(node)) {
      if (!dataNames.has(name) && !name.startsWith('x-')) found.add(value);
    }
  }
  return [...lost];
}

export function readOperations(document: Json): Operation[] {
  return Object.entries(objectAt(document.paths)).flatMap(([path, node]) => {
    const item = resolve(document, node);
    return methods
      .filter((method) => isObject(item[method]))
      .map((method) => readOperation(document, path, method, item));
  });
}

function readOperation(document: Json, path: string, method: string, item: Json): Operation {
  const operation = objectAt(item[method]);
  const security = operation.security ?? document.security;
  const content = Object.entries(objectAt(resolve(document, operation.requestBody).content));
  const [type = '', json] = content.find(([type]) => jsonType.test(type)) ?? [];
  const { schema } = objectAt(json);
  return {
    method: method.toUpperCase(),
    path,
    server: [operation, item, document].flatMap(({ servers }) => listAt(servers))[0],
    parameters: readParameters(document, [...listAt(item.parameters), ...listAt(operation.parameters)]),
    body: schema === undefined ? undefined : { type, schema, example: exampleOf(document, objectAt(json)) },
    hasUnknownBody: schema === undefined && content.length > 0,
    needsSession: listAt(security).length > 0 && listAt(security).every((way) => Object.keys(objectAt(way)).length > 0),
  };
}

/** The example beside a schema, or the first of several that have names. */
function exampleOf(document: Json, { example, examples }: Json): unknown {
  return example ?? resolve(document, Object.values(objectAt(examples))[0]).value;
}

/** Those of the operation replace those of its path. */
function readParameters(document: Json, nodes: readonly unknown[]): Parameter[] {
  const found = new Map<string, Parameter>();
  for (const node of nodes) {
    const parameter = resolve(document, node);
    const { name, in: given, required, schema, style = 'form', explode } = parameter;
    const place = places.find((each) => each === given);
    if (typeof name !== 'string' || place === undefined) continue;
    const isRequired = place === 'path' || required === true;
    found.set(`${place} ${name}`, {
      name,
      in: place,
      required: isRequired,
      schema,
      example: exampleOf(document, parameter),
      style,
      explode: explode !== false,
    });
  }
  return [...found.values()];
}

/** The most references that lead from one to the next. */
const mostReferences = 20;

/** Follows references within the document. One that leads elsewhere, or nowhere, gives an empty object, which says nothing. */
export function resolve(document: Json, node: unknown): Json {
  let found = node;
  for (let times = 0; times < mostReferences; times++) {
    if (!isObject(found)) return {};
    if (typeof found.$ref !== 'string') return found;
    found = lookUp(document, found.$ref);
  }
  return {};
}

/** What is at a reference within the document. A list counts its items from 0. */
function lookUp(document: Json, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = document;
  for (const name of reference.slice(2).split('/')) {
    const key = decodePercent(name).replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof at !== 'object' || at === null) return undefined;
    if (Object.hasOwn(at, key)) at = (at as Json)[key];
    else return '$ref' in at ? {} : undefined; // what is behind another reference says nothing
  }
  return at;
}

export const objectAt = (value: unknown): Json => (isObject(value) ? value : {});
export const listAt = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
