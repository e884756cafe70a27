import * as fc from 'fast-check';
import { json, text } from './texts.js';

/** Values that no JSON gives, but a handler may throw: each is made anew, since some change when they are read. */
const makers: readonly ((inner: unknown) => unknown)[] = [
  (inner) => ({
    get errors() {
      throw new Error(`a getter throws ${typeof inner}`);
    },
  }),
  (inner) => ({
    errors: {
      message: 'm',
      get code() {
        throw inner;
      },
    },
  }),
  () =>
    new Proxy(
      {},
      {
        get() {
          throw new Error('a proxy throws');
        },
      },
    ),
  () => new Proxy({ errors: { message: 'm', code: 'c' } }, { get: (target, name) => Reflect.get(target, name) }),
  (inner) => {
    const cycle: Record<string, unknown> = { message: 'm', code: inner };
    cycle.detail = cycle;
    return { errors: cycle };
  },
  (inner) => ({ errors: { message: 'm', detail: { toJSON: () => inner } } }),
  () => ({
    errors: {
      message: 'm',
      detail: {
        toJSON() {
          throw new Error('toJSON throws');
        },
      },
    },
  }),
  (inner) => ({ errors: { message: 'm', code: 10n, detail: [10n, inner] } }),
  (inner) => ({ errors: { message: 'm', code: Symbol('s'), detail: new Map([[inner, inner]]) } }),
  (inner) => ({ errors: [Object.assign(Object.create(null), { message: 'm', detail: inner })] }),
  (inner) => Object.assign(Object.create({ errors: { message: 'inherited' } }), { code: inner }),
  (inner) => ({ errors: { message: new String('m'), code: () => inner } }),
  () => ({ errors: { message: 'm', code: Number.NaN, detail: Number.POSITIVE_INFINITY } }),
  (inner) => ({ errors: { message: 'm', detail: Array(3).concat(inner) } }),
];

export const hostileValue: fc.Arbitrary<unknown> = fc
  .tuple(fc.constantFrom(...makers), fc.oneof(json, text))
  .map(([make, inner]) => make(inner));
