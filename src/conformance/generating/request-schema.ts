import { isObject } from '../../internal/index.js';
import { type Json, listAt, objectAt, resolve } from './document.js';

/** How deep schemas are read, one inside another: what is deeper may be anything. */
export const mostDepth = 5;

const listsOfSchemas = new Set(['allOf', 'anyOf', 'prefixItems']);
const namedSchemas = new Set(['properties', 'patternProperties']);
const schemas = new Set(['items', 'additionalItems', 'additionalProperties']);
const ownDefinitions = new Set(['$defs', 'definitions']);

/** The properties of an object that a request may have, those of `allOf` included. */
export function propertiesOf(document: Json, schema: unknown): Json {
  const all = Object.entries(allProperties(document, schema));
  return Object.fromEntries(all.filter(([, property]) => !isReadOnly(document, property)));
}

function allProperties(document: Json, schema: unknown, depth = 0): Json {
  const node = resolve(document, schema);
  const parts = depth < mostDepth ? listAt(node.allOf) : [];
  return Object.assign({}, ...parts.map((part) => allProperties(document, part, depth + 1)), objectAt(node.properties));
}

/** Only responses have such properties, even required ones. */
function isReadOnly(document: Json, property: unknown): boolean {
  return objectAt(property).readOnly === true || resolve(document, property).readOnly === true;
}

function writable(document: Json, schema: Json, names: readonly unknown[]): unknown[] {
  const properties = allProperties(document, schema);
  return names.filter((name) => !isReadOnly(document, properties[String(name)]));
}

/**
 * A schema without circles, whose every part is a definition of its own: their number grows with the document, and not with
 * the ways through it. It allows all that the schema allows, and more: `oneOf` is read as `anyOf`, as two choices may look
 * alike when their depths may be anything.
 */
export function acyclicSchema(document: Json, schema: Json, definitions: string): Json {
  const made: Record<string, Json> = {};
  const numbers = new Map<Json, number>();

  const refer = (part: unknown, depth: number): unknown => {
    if (!isObject(part)) return part; // true or false
    if (depth > mostDepth || isReadOnly(document, part)) return {};
    const number = numbers.get(part) ?? numbers.size;
    numbers.set(part, number);
    const name = `${number}-${depth}`;
    made[name] ??= copy(part, depth);
    return { $ref: `#/${definitions}/${name}` };
  };

  const copy = (part: Json, depth: number): Json => {
    const inner = (value: unknown) => refer(value, depth + 1);
    const entries = Object.entries(part).flatMap(([key, value]): [string, unknown][] => {
      if (ownDefinitions.has(key)) return [];
      if (key === 'required') return [[key, writable(document, part, listAt(value))]];
      if (key === 'oneOf') return [['anyOf', listAt(value).map(inner)]];
      return [[key, copyOf(key, value, inner)]];
    });
    const copied = Object.fromEntries(entries);
    return typeof part.$ref === 'string' ? Object.assign(copied, refer(resolve(document, part), depth)) : copied;
  };

  return Object.assign({ [definitions]: made }, refer(schema, 0));
}

function copyOf(key: string, value: unknown, inner: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return listsOfSchemas.has(key) || schemas.has(key) ? value.map(inner) : value;
  if (schemas.has(key)) return inner(value);
  if (!namedSchemas.has(key) || !isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, inner(schema)]));
}
