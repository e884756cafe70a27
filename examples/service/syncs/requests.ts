import type { AdminSectionContext } from 'concordat/admin';
import { rightsOf } from 'concordat/api-keys';
import type { Span } from './picture/frame.js';

/** Whoever has an account may watch. A run writes with the service's own credentials, so starting one takes a Super Admin. */
export function mayControl({ user }: AdminSectionContext): boolean {
  return rightsOf(user).superAdmin;
}

/** @returns `undefined` for what is none; so does the other */
export function readSpan(text: string | null | undefined): Span | undefined {
  return text === 'recent' || text === 'whole' ? text : undefined;
}

export function readRevision(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** A path with those of the fields that have a value. */
export function withFields(path: string, fields: Readonly<Record<string, string | undefined>>): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) given.set(name, value);
  return given.size === 0 ? path : `${path}?${given}`;
}
