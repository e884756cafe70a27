import { dayMs } from './times.js';

/** What a form offers for `Expires on`. */
export const expiryChoices = ['keep', '7', '30', '90', 'year', 'custom'] as const;
export type ExpiryChoice = (typeof expiryChoices)[number];

/** What a form brought, to be shown again as it was. */
export interface ExpiryInput {
  readonly choice: ExpiryChoice | undefined;
  /** As `<input type="datetime-local">` sends it: a time in UTC, without a zone. */
  readonly custom: string;
}

export function readExpiryInput(form: URLSearchParams): ExpiryInput {
  const custom = (form.get('expiresOn') ?? '').trim();
  const choice = expiryChoices.find((one) => one === form.get('expiry'));
  return { choice: choice ?? (custom === '' ? undefined : 'custom'), custom };
}

/**
 * The expiry that a form asks for. Days count to the end of the day in UTC, as a date does everywhere in API keys
 * (rule K4). Nothing is judged here: what is wrong goes on as it is, and is answered with the specification's messages.
 *
 * @returns `undefined` to leave the expiry as it is; `''` when none was given
 */
export function toExpiresOn(
  { choice, custom }: ExpiryInput,
  { nowMs, maxExpiresOn }: { nowMs: number; maxExpiresOn: string },
): string | undefined {
  if (choice === 'keep') return undefined;
  if (choice === undefined) return '';
  if (choice === 'custom') return withZone(custom);
  return expiryOfPreset(choice, { nowMs, maxExpiresOn });
}

export function expiryOfPreset(
  choice: '7' | '30' | '90' | 'year',
  { nowMs, maxExpiresOn }: { nowMs: number; maxExpiresOn: string },
): string {
  if (choice === 'year') return maxExpiresOn;
  return `${new Date(nowMs + Number(choice) * dayMs).toISOString().slice(0, 10)}T23:59:59.999Z`;
}

/** Browsers send seconds only where there are some. */
function withZone(local: string): string {
  if (/T\d{2}:\d{2}$/.test(local)) return `${local}:00Z`;
  return /T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(local) ? `${local}Z` : local;
}
