import { headerProblem } from '../contract/index.js';

/** @throws TypeError naming the option. */
export function checkObject(value: unknown, option: string): object {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  throw new TypeError(`\`${option}\` must be an object, got ${JSON.stringify(value) ?? String(value)}.`);
}

/** @throws TypeError naming the option that does not exist: a misspelt one would otherwise be simulated as nothing. */
export function checkKeys(value: object, known: readonly string[], option: string): void {
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`\`${option}\` has no option "${unknown}": there are ${known.join(', ')}.`);
}

/** @throws TypeError naming the option. */
export function checkDuration(value: unknown, option: string, least = 0): void {
  if (typeof value === 'number' && Number.isFinite(value) && value >= least) return;
  throw new TypeError(`\`${option}\` must be a number of milliseconds, ${least} or more, got ${String(value)}.`);
}

/** @throws TypeError naming the option. */
export function checkCount(value: unknown, least: number, option: string): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least) return;
  throw new TypeError(`\`${option}\` must be a whole number, ${least} or more, got ${String(value)}.`);
}

/** @throws TypeError naming the option. */
export function checkOneOf(value: unknown, choices: readonly string[], option: string): void {
  if (choices.some((choice) => choice === value)) return;
  throw new TypeError(`\`${option}\` must be one of ${choices.join(', ')}, got ${JSON.stringify(value)}.`);
}

/** @throws TypeError naming the option. */
export function checkHeaderName(value: unknown, option: string): void {
  if (typeof value === 'string' && headerProblem(value, '') === undefined) return;
  throw new TypeError(`\`${option}\` must be a header name, got ${JSON.stringify(value)}.`);
}

/** @throws TypeError naming the option. */
export function checkPath(value: unknown, option: string): void {
  if (typeof value === 'string' && /^\/[^\s?#]*$/.test(value)) return;
  throw new TypeError(`\`${option}\` must be a path that starts with "/", got ${JSON.stringify(value)}.`);
}
