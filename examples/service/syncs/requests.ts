import type { AdminSectionContext } from 'concordat/admin';
import { rightsOf } from 'concordat/api-keys';
import type { Span } from './picture/frame.js';

/** Every user may watch. A run writes with the service's credentials, so only Super Admins may start one. */
export function mayControl({ user }: AdminSectionContext): boolean {
  return rightsOf(user).superAdmin;
}

/** @returns `undefined` for an invalid value */
export function readSpan(text: string | null | undefined): Span | undefined {
  return text === 'recent' || text === 'whole' ? text : undefined;
}

export function readRevision(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A path with the fields that have a value. */
export function withFields(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) given.set(name, value);
  return given.size === 0 ? path : `${path}?${given}`;
}
