import { readCode } from '../../contract/index.js';
import type { BodyPath, Match } from './preset.js';

/** What is at a place in a body; `undefined` where the path leads nowhere. */
export function valueAt(body: unknown, path: BodyPath): unknown {
  let value = body;
  for (const key of typeof path === 'string' ? path.split('.') : path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}

export function matches(value: unknown, match: Match): boolean {
  if (value === undefined || value === null) return false;
  if (match === true) return true;
  const text = textOf(value);
  if (text === undefined) return false;
  return typeof match === 'string' ? text === match : text.search(match) >= 0;
}

/** The end system's code at the first path that leads to one (rule E3). */
export function findCode(body: unknown, paths: readonly BodyPath[]): string | undefined {
  for (const path of paths) {
    const code = readCode(valueAt(body, path));
    if (code !== undefined) return code;
  }
  return undefined;
}

/** The end system's message: text, or a list of texts. */
export function findMessage(body: unknown, paths: readonly BodyPath[]): string | undefined {
  for (const path of paths) {
    const value = valueAt(body, path);
    const text = Array.isArray(value) ? value.filter((item) => typeof item === 'string').join('; ') : value;
    if (typeof text === 'string' && text.trim() !== '') return text.trim();
  }
  return undefined;
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
