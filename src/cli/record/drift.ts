import type { CaseResult } from '../../conformance/index.js';
import { isObject } from '../../internal/index.js';
import type { RecordedExchange, Recording } from '../../testing/index.js';
import { jsonOf } from './secrets-in-texts.js';

type Response = RecordedExchange['response'];

/** Compares responses with those of today, or says why a request was not sent. Values do not count. */
export function compareWithRecording(before: Recording, today: readonly (Response | string)[]): CaseResult[] {
  return before.exchanges.map(({ request, response }, index) => {
    const now = today[index] ?? '';
    const isSkipped = typeof now === 'string';
    const problems = isSkipped ? [] : differences(response, now).map((message) => ({ message }));
    return {
      id: `recording.${index + 1}`,
      rule: 'as recorded',
      title: `${request.method} ${request.path}`,
      why: `It is not what was recorded on ${before.recordedAt.slice(0, 10)}: tests against the recording prove nothing about it.`,
      severity: 'error',
      status: isSkipped ? 'skipped' : problems.length === 0 ? 'passed' : 'failed',
      ...(isSkipped ? { reason: now } : {}),
      durationMs: 0,
      problems,
    };
  });
}

/** Another status or content type, members that are gone, and values of another type. New members are no drift. */
function differences(before: Response, now: Response): string[] {
  const found: string[] = [];
  if (before.status !== now.status) found.push(`the status was ${before.status}, and is ${now.status}`);
  const [type, typeNow] = [before, now].map(({ headers }) =>
    headers['content-type']?.split(';')[0]?.trim().toLowerCase(),
  );
  if (type !== typeNow) found.push(`the content type was ${type ?? 'absent'}, and is ${typeNow ?? 'absent'}`);
  const json = toJson(before);
  if (found.length > 0 || json === undefined) return found;
  const [shape, shapeNow] = [shapeOf(json), shapeOf(toJson(now))];
  for (const [path, { types, parent }] of shape) {
    const typesNow = shapeNow.get(path)?.types;
    if (typesNow === undefined) {
      // An array that is empty today, or an object that is null, says nothing about what is in it.
      if (!path.endsWith('[]') && shapeNow.get(parent)?.types.has('object')) found.push(`${path} is gone`);
      continue;
    }
    const others = [...typesNow].filter((name) => name !== 'null' && !types.has(name));
    const known = [...types].filter((name) => name !== 'null');
    if (others.length > 0 && known.length > 0) {
      found.push(`${path || 'the body'} was ${known.join(' or ')}, and is ${others.join(' or ')}`);
    }
  }
  return found;
}

/** What is in a body of JSON, which is kept as text where parsing would change it. */
function toJson({ json, text }: Response): unknown {
  return json === undefined && text !== undefined ? jsonOf(text) : json;
}

/** The types at each path, such as `items[].id`, and the path of the object or array that it is in. */
function shapeOf(json: unknown) {
  const shape = new Map<string, { types: Set<string>; parent: string }>();
  const visit = (value: unknown, path: string, parent: string) => {
    const place = shape.get(path) ?? { types: new Set(), parent };
    shape.set(path, place);
    place.types.add(value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value);
    if (Array.isArray(value)) for (const item of value) visit(item, `${path}[]`, path);
    else if (isObject(value)) {
      for (const [name, member] of Object.entries(value)) visit(member, path === '' ? name : `${path}.${name}`, path);
    }
  };
  visit(json, '', '');
  return shape;
}
