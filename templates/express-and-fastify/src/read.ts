import { BadRequestError, sessionParameterSchema, UnauthorizedError } from 'concordat';
import { z } from 'zod';
import * as endSystem from './end-system.js';

/** Checks the input. @throws BadRequestError naming the fields that are wrong. */
export function read<Schema extends z.ZodType>(schema: Schema, value: unknown, what: string): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const problems = result.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new BadRequestError(`${what}: ${problems.join('; ')}`, { cause: result.error });
}

const parameterList = z.array(sessionParameterSchema);

/** The parameters of initialize: an array of {key, value, sensitive}, or an object. */
export function readParameters(body: unknown): z.output<typeof endSystem.parameters> {
  const what = 'The parameters of initialize are not valid';
  const given = Array.isArray(body)
    ? Object.fromEntries(read(parameterList, body, what).map(({ key, value }) => [key, value]))
    : body;
  return read(endSystem.parameters, given, what);
}

/** The names of the headers that carry the session. */
export const sessionHeaders = Object.keys(endSystem.session.shape);

/** The session of a request. A 401 makes the service log in again. */
export function readSession(headers: NodeJS.Dict<string | string[]>): endSystem.Session {
  const found = sessionHeaders.map((name) => [name, headers[name.toLowerCase()]]);
  const result = endSystem.session.safeParse(Object.fromEntries(found));
  if (!result.success) throw new UnauthorizedError('The session is missing or not valid.');
  return result.data;
}

/** What initialize returns: the session as the service sends it back. */
export function toParameters(session: endSystem.Session) {
  return Object.entries(session).map(([key, value]) => ({ key, value, sensitive: true }));
}
