import { toSessionParameters } from '../../contract/index.js';
import { isObject, parseJson } from '../../internal/index.js';
import type { Completed } from '../probing/limits.js';
import { kindOf, textProblem } from './error-body.js';

const expected = 'expected an array of {key, value, sensitive}';
const cookiesAreNotRead = '; the service does not read cookies (set-cookie)';

/** What to say of a session without entries where a cookie came, which may be the session. */
export const onlyCookie = `the session is empty; ${expected}${cookiesAreNotRead}`;

/** Why the response to a login is no session (rule S1). Names entries and members, and never shows a value. */
export function sessionShapeProblem(response: Completed['response']): string | undefined {
  if (response.broken !== undefined) return response.broken.text;
  const cookie = response.headers.has('set-cookie') ? cookiesAreNotRead : '';
  const problem = textProblem(response);
  if (problem !== undefined) return `${problem}; ${expected}${cookie}`;
  const value = parseJson(response.body);
  if (value === undefined) return `the body is not JSON; ${expected}${cookie}`;
  if (Array.isArray(value)) return listProblem(value);
  if (toSessionParameters(value) !== undefined) return undefined;
  if (!isObject(value)) return `the body is ${kindOf(value)}; ${expected}${cookie}`;
  const [name, member] = Object.entries(value).find(([, member]) => typeof member !== 'string') ?? [];
  return `the body is an object in which \`${name?.slice(0, 80)}\` is ${kindOf(member)}; ${expected}${cookie}`;
}

function listProblem(entries: readonly unknown[]): string | undefined {
  const problems = entries.flatMap((entry, index) => {
    const problem = entryProblem(entry);
    return problem === undefined ? [] : [`${place(entry, index)}: ${problem}`];
  });
  const more = problems.length > 5 ? [`and ${problems.length - 5} more`] : [];
  return problems.length === 0 ? undefined : [...problems.slice(0, 5), ...more].join('; ');
}

function entryProblem(entry: unknown): string | undefined {
  if (!isObject(entry)) return `it is ${kindOf(entry)}; expected {key, value, sensitive}`;
  const { key, value, sensitive } = entry;
  if (typeof key !== 'string') return `\`key\` is ${kindOf(key)}${has(entry)}; expected a string`;
  if (key === '') return '`key` is empty';
  if (typeof value !== 'string') return `\`value\` is ${kindOf(value)}; expected a string`;
  if (typeof sensitive !== 'boolean') return `\`sensitive\` is ${kindOf(sensitive)}; expected true or false`;
  return undefined;
}

function has(entry: object): string {
  const names = Object.keys(entry)
    .slice(0, 5)
    .map((name) => `\`${name.slice(0, 80)}\``);
  return names.length === 0 ? '' : ` (it has ${names.join(', ')})`;
}

/** `entry 2 ("x-org")` */
function place(entry: unknown, index: number): string {
  const { key, value } = (entry ?? {}) as { key?: unknown; value?: unknown };
  const isNamed = typeof key === 'string' && key !== '' && value !== undefined;
  return `entry ${index + 1}${isNamed ? ` ("${key.slice(0, 80)}")` : ''}`;
}
