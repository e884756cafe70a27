import { readCode } from '../../contract/index.js';
import type { BodyCondition, BodyPath, Match } from './preset.js';

/** How much of a text a pattern searches: an author's pattern may take more than linear time (rule E8). */
const maxSearchedCharacters = 8192;

interface Found {
  value: unknown;
  /** The key that the last `*` stood for, in an object. */
  label?: string | undefined;
}

/** The values at a path in a body: one, or with `*` any number. */
export function valuesAt(body: unknown, path: BodyPath): unknown[] {
  return search(body, path).map(({ value }) => value);
}

function search(body: unknown, path: BodyPath): Found[] {
  let found: Found[] = [{ value: body }];
  for (const key of typeof path === 'string' ? path.split('.') : path) {
    found = found.flatMap(({ value, label }) => {
      if (typeof value !== 'object' || value === null) return [];
      if (key !== '*') return Object.hasOwn(value, key) ? [{ value: (value as Keyed)[key], label }] : [];
      if (Array.isArray(value)) return value.map((item: unknown) => ({ value: item, label }));
      return Object.entries(value).map(([name, item]) => ({ value: item, label: name }));
    });
  }
  return found;
}

type Keyed = Record<string | number, unknown>;

export function matches(value: unknown, match: Match): boolean {
  if (value === undefined || value === null) return false; // a SOAP fault without this part
  if (match === true) return true;
  const text = textOf(value);
  if (text === undefined) return false;
  return typeof match === 'string' ? text === match : text.slice(0, maxSearchedCharacters).search(match) >= 0;
}

/** The end system's code, at the first place that has one (rule E3). */
export function findCode(body: unknown, places: readonly (BodyPath | BodyCondition)[]): string | undefined {
  for (const place of places) {
    const { path, matches: wanted } = isCondition(place) ? place : { path: place, matches: true as const };
    for (const value of valuesAt(body, path)) {
      const code = matches(value, wanted || true) ? readCode(value) : undefined;
      if (code !== undefined) return code;
    }
  }
  return undefined;
}

function isCondition(place: BodyPath | BodyCondition): place is BodyCondition {
  return typeof place === 'object' && 'path' in place;
}

/** The end system's message, at the first path that has one: a string, or a list of strings. */
export function findMessage(body: unknown, paths: readonly BodyPath[]): string | undefined {
  for (const path of paths) {
    const texts = search(body, path).flatMap(({ value, label }) => {
      const items = Array.isArray(value) ? value : [value];
      const text = items.filter((item) => typeof item === 'string' && item.trim() !== '').join('; ');
      if (text === '') return [];
      return [label === undefined ? text.trim() : `${label}: ${text.trim()}`];
    });
    if (texts.length > 0) return texts.join('; ');
  }
  return undefined;
}

export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}
