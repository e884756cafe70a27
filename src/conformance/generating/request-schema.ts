import { isObject } from '../../internal/index.js';
import { type Json, listAt, resolve } from './document.js';

/** How deep schemas are read, one inside another: what is deeper may be anything. */
export const mostDepth = 5;

const listsOfSchemas = new Set(['allOf', 'anyOf', 'prefixItems']);
const namedSchemas = new Set(['properties', 'patternProperties']);
const schemas = new Set(['items', 'additionalItems', 'additionalProperties']);
const ownDefinitions = new Set(['$defs', 'definitions']);

/**
 * A schema without circles, whose every part is a definition of its own: their number grows with the document, and not with
 * the ways through it. It allows all that the schema allows, and more: `oneOf` is read as `anyOf`, as two choices may look
 * alike when their depths may be anything.
 */
export function requestSchema(document: Json, schema: Json, definitions: string): Json {
  const made: Record<string, Json> = {};
  const numbers = new Map<Json, number>();

  const refer = (part: unknown, depth: number): unknown => {
    if (!isObject(part)) return part; // true or false
    if (depth > mostDepth) return {};
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
