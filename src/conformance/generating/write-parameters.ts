import { headerProblem } from '../../contract/index.js';
import { isObject } from '../../internal/index.js';
import type { Parameter } from './document.js';

/** What the parameters of a request are. */
export type Values = ReadonlyMap<Parameter, unknown>;

/** Whether the members of an object are parameters of their own: its name is nowhere in the request. */
export function isSpread({ in: place, style, explode }: Parameter, value: unknown): boolean {
  return place === 'query' && (style === 'deepObject' || (style === 'form' && explode && isObject(value)));
}

/** The path with its parameters, and the query behind it. */
export function writePath(template: string, values: Values): string {
  const path = [...values]
    .filter(([each]) => each.in === 'path')
    .reduce((path, [{ name }, value]) => path.replaceAll(`{${name}}`, encodeURIComponent(textOf(value))), template)
    .replaceAll(/\{[^{}]*\}/g, '1'); // braces without a parameter
  const query = [...values]
    .filter(([each]) => each.in === 'query')
    .flatMap(([each, value]) => pairs(each, value))
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(value))}`);
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function pairs(parameter: Parameter, value: unknown): [string, unknown][] {
  const { name, style } = parameter;
  if (!isObject(value) || !isSpread(parameter, value)) return [[name, value]];
  return Object.entries(value).map(([key, member]) => [style === 'deepObject' ? `${name}[${key}]` : key, member]);
}

/** OpenAPI ignores parameters with these names. */
const ignoredHeaders = new Set(['accept', 'content-type', 'authorization']);

/** The headers and cookies that a request can carry. */
export function writeHeaders(values: Values): Record<string, string> {
  const all = [...values].map(([{ name, in: place }, value]) => ({ name, place, text: textOf(value) }));
  const cookies = all
    .filter(({ place }) => place === 'cookie')
    .map(({ name, text }) => `${name}=${encodeURIComponent(text)}`);
  const headers = all
    .filter(({ place }) => place === 'header')
    .map(({ name, text }): [string, string] => [name.toLowerCase(), text]);
  if (cookies.length > 0) headers.push(['cookie', cookies.join('; ')]);
  return Object.fromEntries(
    headers.filter(([name, text]) => !ignoredHeaders.has(name) && headerProblem(name, text) === undefined),
  );
}

function textOf(value: unknown): string {
  return typeof value === 'object' ? String(Object.values(value ?? {})[0] ?? '1') : String(value);
}
