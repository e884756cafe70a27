import * as z from 'zod';
import { isObject } from '../../internal/index.js';
import { type Json, listAt, resolve } from './document.js';
import { acyclicSchema, mostDepth, propertiesOf } from './request-schema.js';

/** Whether a schema allows a value. */
export type Allows = (value: unknown) => boolean;

/** A schema of the document as a check; `undefined` for one that zod cannot read. What cannot be told is allowed. */
export function readSchema(document: Json, schema: unknown): Allows | undefined {
  if (!isObject(schema)) return undefined;
  const isOld = String(document.openapi).startsWith('3.0');
  const definitions = isOld ? 'definitions' : '$defs';
  const defaultTarget = isOld ? 'openapi-3.0' : 'draft-2020-12';
  try {
    const read = z.fromJSONSchema(acyclicSchema(document, schema, definitions), {
      defaultTarget,
      registry: z.registry(),
    });
    return (value) => {
      try {
        return read.safeParse(value).success;
      } catch {
        return true;
      }
    };
  } catch {
    return undefined;
  }
}

/** A value that a schema should allow: its example, or the plainest one. Whether it does is for the schema to say. */
export function plainValue(document: Json, schema: unknown, depth = 0): unknown {
  const node = resolve(document, schema);
  const given = [node.const, node.example, listAt(node.examples)[0], node.default, listAt(node.enum)[0]];
  const found = given.find((value) => value !== undefined);
  if (found !== undefined || depth > mostDepth) return found ?? null;
  const [choice] = [...listAt(node.oneOf), ...listAt(node.anyOf)];
  if (choice !== undefined) return plainValue(document, choice, depth + 1);
  const [type = isObject(node.properties) || node.allOf !== undefined ? 'object' : 'string'] = [node.type].flat();
  switch (type) {
    case 'object':
      return plainObject(document, node, depth);
    case 'array':
      return Array.from({ length: Math.min(Number(node.minItems ?? 0), 10) }, () =>
        plainValue(document, node.items, depth + 1),
      );
    case 'integer':
    case 'number':
      return Number(node.minimum ?? 1);
    case 'boolean':
      return true;
    case 'null':
      return null;
    default:
      return plainText(node);
  }
}

/** With the members that are required. */
function plainObject(document: Json, node: Json, depth: number): Json {
  const required = [node, ...listAt(node.allOf).map((part) => resolve(document, part))].flatMap((part) =>
    listAt(part.required),
  );
  const members = Object.entries(propertiesOf(document, node)).filter(([name]) => required.includes(name));
  return Object.fromEntries(members.map(([name, property]) => [name, plainValue(document, property, depth + 1)]));
}

const formats: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00Z',
  date: '2026-01-31',
  time: '12:00:00Z',
  email: 'concordat@example.com',
  uuid: '0b6cbe5c-9d4a-4f0e-8f4a-2f6f6f3f5a11',
  uri: 'https://example.com/',
  url: 'https://example.com/',
  ipv4: '192.0.2.1',
};

function plainText({ format, minLength, maxLength }: Json): string {
  const known = typeof format === 'string' ? formats[format] : undefined;
  if (known !== undefined) return known;
  const least = Math.min(Number(minLength ?? 0), 1000);
  return 'concordat'.padEnd(least, 'x').slice(0, Number(maxLength ?? 1000));
}
