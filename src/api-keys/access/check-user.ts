import type { DirectoryUser, FoundUser } from './types.js';

/**
 * A user as a method of the host's directory returned it.
 *
 * @throws Error naming a wrong field: roles would be misread, and an id that is a number would own no key (rule K19)
 */
export function checkUser(found: FoundUser, method: string): DirectoryUser | undefined {
  if (found === undefined || found === null) return undefined;
  const problem = problemOf(found);
  if (problem === undefined) return found;
  throw new Error(`\`users.${method}\` returned a user whose ${problem}.`);
}

function problemOf({ id, username, roles, permissions }: DirectoryUser): string | undefined {
  if (typeof id !== 'string') return `\`id\` is not text: ${id}`;
  if (typeof username !== 'string') return `\`username\` is not text: ${username}`;
  if (!isListOfTexts(roles)) return '`roles` is not an array of texts';
  if (!isListOfTexts(permissions)) return '`permissions` is not an array of texts';
  return undefined;
}

function isListOfTexts(value: unknown): boolean {
  // Databases say null for nothing, also inside a list.
  return (
    value === undefined ||
    value === null ||
    (Array.isArray(value) && value.every((one) => one === null || typeof one === 'string'))
  );
}
