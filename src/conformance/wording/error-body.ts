import { errorPayloadSchema } from '../../contract/index.js';
import { describeIssues, isObject, isUtf8, parseJson } from '../../internal/index.js';
import type { Completed } from '../probing/limits.js';

const byteOrderMark = '\ufeff';

/** Why a body is not an error body of the contract (rule E1), in words that say what to change. */
export function bodyProblem({ response }: Completed): string | undefined {
  if (response.broken !== undefined) return response.broken.text;
  const problem = textProblem(response);
  if (problem !== undefined) return problem;
  const value = parseJson(response.body);
  if (value === undefined) return 'the body is not JSON';
  const parsed = errorPayloadSchema.safeParse(value);
  if (!parsed.success) return memberProblem(value) ?? describeIssues(parsed.error.issues);
  const { code, message, detail } = parsed.data.errors;
  if (code.trim() === '') return '`errors.code` is blank';
  if (message.trim() === '') return '`errors.message` is blank';
  return detail === '' ? '`errors.detail` is empty; leave it out where there is nothing to add' : undefined;
}

/** Why the bytes of a body are not text that can be JSON. */
export function textProblem({ bytes, body }: Completed['response']): string | undefined {
  if (bytes.length === 0) return 'the body is empty';
  if (!isUtf8(bytes)) return 'the body is not UTF-8';
  return body.startsWith(byteOrderMark) ? 'the body begins with a byte order mark (BOM); JSON has none' : undefined;
}

export function isJsonType(type: string | null): boolean {
  return type !== null && /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i.test(type);
}

/** The same with its content type. */
export function errorProblem(seen: Completed): string | undefined {
  const type = seen.response.headers.get('content-type');
  return bodyProblem(seen) ?? (isJsonType(type) ? undefined : `content-type is ${JSON.stringify(type)}`);
}

/** "a string", "an array", "null": for messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return value === null ? 'null' : 'missing';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function memberProblem(body: unknown): string | undefined {
  if (!isObject(body)) return `the body is ${kindOf(body)}; expected an object with \`errors\``;
  const { errors, ...others } = body;
  const problems: string[] = [];
  if (!isObject(errors))
    problems.push(`\`errors\` is ${kindOf(errors)}; expected an object with \`code\` and \`message\``);
  else problems.push(...entryProblems(errors));
  problems.push(...Object.keys(others).slice(0, 5).map(notAllowed('the body')));
  return problems.length === 0 ? undefined : problems.join('; ');
}

function entryProblems({ code, message, detail, ...others }: Record<string, unknown>): string[] {
  const problems: string[] = [];
  for (const [name, value] of Object.entries({ code, message })) {
    if (typeof value !== 'string') problems.push(`\`errors.${name}\` is ${kindOf(value)}; expected a string`);
    else if (value === '') problems.push(`\`errors.${name}\` is empty`);
  }
  if (detail === null) problems.push('`errors.detail` is null; leave it out where there is nothing to add');
  else if (detail !== undefined && typeof detail !== 'string')
    problems.push(`\`errors.detail\` is ${kindOf(detail)}; expected a string`);
  return [...problems, ...Object.keys(others).slice(0, 5).map(notAllowed('`errors`'))];
}

const notAllowed = (place: string) => (name: string) =>
  `${place} has \`${name.slice(0, 80)}\`, which does not belong there`;
