import { dayMs } from './times.js';

/** The choices for `Expires on`. */
export const expiryChoices = ['keep', '7', '30', '90', 'year', 'custom'] as const;
export type ExpiryChoice = (typeof expiryChoices)[number];

/** The submitted input, to be shown again unchanged. */
export interface ExpiryInput {
  readonly choice: ExpiryChoice | undefined;
  /** As sent by `<input type="datetime-local">`: a time in UTC, without a zone. */
  readonly custom: string;
}

export function readExpiryInput(form: URLSearchParams): ExpiryInput {
  const custom = (form.get('expiresOn') ?? '').trim();
  const choice = expiryChoices.find((one) => one === form.get('expiry'));
  return { choice: choice ?? (custom === '' ? undefined : 'custom'), custom };
}

/**
 * The requested expiry. Days last until the end of the day in UTC (rule K4). Invalid input is passed on, so that
 * `apiKeys` refuses it with the messages of the specification.
 *
 * @returns `undefined` to keep the expiry; `''` when none was given
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

/** Browsers send seconds only if they are not zero. */
function withZone(local: string): string {
  if (/T\d{2}:\d{2}$/.test(local)) return `${local}:00Z`;
  return /T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/.test(local) ? `${local}Z` : local;
}
