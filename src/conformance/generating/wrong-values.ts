import { isObject } from '../../internal/index.js';
import { type Json, type Operation, type Parameter, resolve } from './document.js';
import { propertiesOf } from './request-schema.js';
import { plainValue, readSchema } from './schemas.js';

/** A value that a schema does not allow. */
export interface Wrong<Value = unknown> {
  readonly value: Value;
  /** What is wrong, to follow the name of what it stands for. */
  readonly is: string;
}

/** A name that nothing has. */
export const strange = 'concordat-no-such-value';

/** The longest text to send: the next would meet the limits of servers instead. */
const longest = 2000;
const mostProperties = 30;

/** The texts for a parameter that its schema does not allow, however they are read. */
export function wrongTexts(document: Json, { schema }: Parameter): Wrong<string>[] {
  const allows = readSchema(document, schema);
  if (allows === undefined) return [];
  return [{ value: strange, is: `is "${strange}"` }, ...tooLong(resolve(document, schema))].filter(
    ({ value }) => !allows(value) && !allows([value]),
  );
}

/** The bodies that the schema does not allow: each differs from a right one in one thing. */
export function wrongBodies(document: Json, { schema, example }: NonNullable<Operation['body']>): Wrong[] {
  const allows = readSchema(document, schema);
  if (allows === undefined) return [];
  const whole: Wrong[] = [
    { value: strange, is: 'the body is a text' },
    { value: null, is: 'the body is null' },
    { value: [strange], is: 'the body is an array' },
  ];
  const right = example ?? plainValue(document, schema);
  const inside = isObject(right) && allows(right) ? wrongMembers(document, schema, right) : [];
  return [...whole, ...inside].filter(({ value }) => !allows(value));
}

function wrongMembers(document: Json, schema: unknown, right: Json): Wrong[] {
  const properties = Object.entries(propertiesOf(document, schema)).slice(0, mostProperties);
  return properties.flatMap(([name, property]) => {
    const { [name]: _, ...without } = right;
    const values: Wrong[] = [
      { value: { concordat: true }, is: 'is an object' },
      { value: null, is: 'is null' },
      { value: strange, is: `is "${strange}"` },
      ...tooLong(resolve(document, property)),
    ];
    return [
      { value: without, is: `\`${name}\` is missing in the body` },
      ...values.map(({ value, is }) => ({ value: { ...right, [name]: value }, is: `\`${name}\` in the body ${is}` })),
    ];
  });
}

function tooLong({ maxLength }: Json): Wrong<string>[] {
  if (typeof maxLength !== 'number' || maxLength >= longest) return [];
  const length = maxLength + 1;
  return [{ value: 'x'.repeat(length), is: `has ${length} characters` }];
}
