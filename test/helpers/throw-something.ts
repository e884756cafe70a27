import { chai } from 'vitest';

const nothing = new Error('undefined, which is no error');
const mark = Symbol.for('throw-something');

// With a text or a pattern, chai lets `throw undefined` pass as any error: a function that forgot to return one went unnoticed.
chai.use(({ Assertion }, { flag, overwriteMethod }) => {
  // Loaded once a test file, and chai once a process.
  if (mark in Assertion.prototype) return;
  Object.defineProperty(Assertion.prototype, mark, { value: true });
  const strict = (original: (...expected: unknown[]) => unknown) =>
    function (this: Chai.AssertionStatic, ...expected: unknown[]) {
      const given: unknown = flag(this, 'object');
      const check = () => {
        try {
          return (given as () => unknown)();
        } catch (error) {
          throw error ?? nothing;
        }
      };
      flag(this, 'object', typeof given === 'function' ? check : (given ?? nothing));
      return original.apply(this, expected);
    };
  overwriteMethod(Assertion.prototype, 'throws', strict);
});
