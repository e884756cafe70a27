import { printable } from '../../internal/index.js';
import type { CaseResult, SeenExchange } from '../result.js';

/** A result as text: what is wrong, what was seen, why it matters. */
export function explain({ id, rule, title, why, status, reason, problems }: CaseResult): string {
  const head = `${id} (${rule}): ${title}`;
  if (status === 'fixed')
    return `${head}\nThis known failure passes now. Remove it from \`knownFailures\` ("${reason}").`;
  if (status === 'skipped' || status === 'unjudged') return `${head}\n${reason}`;
  const lines = problems.flatMap(({ message, seen }) => [message, ...(seen === undefined ? [] : drawExchange(seen))]);
  return [head, ...lines, `Why: ${why}`].join('\n');
}

/** The lines of an exchange: `>` sent, `<` received. */
export function drawExchange({ request, response, failure }: SeenExchange): string[] {
  const draw = (mark: string, first: string, message: { headers: Record<string, string>; body?: string }) => [
    `  ${mark} ${first}`,
    ...Object.entries(message.headers).map(([name, value]) => `  ${mark} ${name}: ${value}`),
    ...(message.body ? message.body.split('\n').map((line) => `  ${mark} ${line}`) : []),
  ];
  return [
    ...draw('>', `${request.method} ${request.path}`, request),
    ...(response === undefined ? [] : draw('<', String(response.status), response)),
    ...(failure === undefined ? [] : [`  ! ${failure}`]),
  ].map(printable);
}
