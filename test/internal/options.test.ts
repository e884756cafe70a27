import { expect, it } from 'vitest';
import { z } from 'zod';
import { checkOptions, count, functionOf, notAnOption, optionsOf, readBy, texts } from '../../src/internal/index.js';

const inner = optionsOf({ retries: count(0).default(5), secret: texts.optional() });
const schema = optionsOf({
  list: z.array(inner).default([]),
  either: z.union([functionOf<() => void>(), inner], { error: 'must be a function or an object' }).optional(),
  read: readBy((value) => {
    if (value === 'bad') throw new TypeError('`read` must be good.');
    return [value];
  }).optional(),
});

it.each<[unknown, string, string]>([
  [{ list: [{}, { retries: -1 }] }, 'options', '`list[1].retries` must be a whole number, 0 or more, got -1.'],
  [{ list: [{ retires: 1 }] }, 'options', '`list[0].retires` is not an option: did you mean `retries`?'],
  [{ either: { retries: '1' } }, 'options', '`either.retries` must be a whole number, 0 or more, got "1".'],
  [{ either: 7 }, 'options', '`either` must be a function or an object.'],
  [{ read: 'bad' }, 'options', '`read` must be good.'],
  [null, 'options', '`options` must be an object with `list`, `either`, `read`.'],
  [[], 'steps[2]', '`steps[2]` must be an object with'],
  [{ lists: [] }, 'steps[2]', '`steps[2].lists` is not an option: did you mean `list`?'],
])('%j as `%s`', (value, name, message) => {
  expect(() => checkOptions(schema, value, name)).toThrow(TypeError);
  expect(() => checkOptions(schema, value, name)).toThrow(message);
});

it('fills in defaults, and hands on functions as they are', () => {
  const either = () => {};
  const checked = checkOptions(schema, { list: [{}], either, read: 1 });
  expect(checked).toEqual({ list: [{ retries: 5 }], either, read: [1] });
  expect(checked.either).toBe(either);
});

it('never tells a value that may be secret', () => {
  const check = () => checkOptions(schema, { either: { secret: { a: 'canary', b: 1 } } });
  expect(check).toThrow('`either.secret` must be an object whose values are all text.');
  expect(check).not.toThrow('canary');
});

it.each([
  ['retires', 'did you mean `retries`?'],
  ['RETRIES', 'did you mean `retries`?'],
  ['retriesMs', 'did you mean `retries`?'],
  ['at', 'is not an option: there are `retries`, `on`'],
])('%s: what was probably meant, where that is clear', (name, message) => {
  expect(notAnOption([name], ['retries', 'on'])).toContain(message);
});
