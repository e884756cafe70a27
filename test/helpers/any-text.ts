import fc from 'fast-check';

/** Any code point but halves of surrogate pairs, as the unit `binary` of fast-check: that takes a second to list them all. */
const codePoint = fc
  .integer({ min: 0, max: 0x10_ffff - 0x800 })
  .map((number) => String.fromCodePoint(number < 0xd800 ? number : number + 0x800));

/** Text of any characters. */
export const anyText = (constraints: { maxLength?: number } = {}) => fc.string({ ...constraints, unit: codePoint });
