import { dayMs } from '../../../internal/index.js';
import { formatForInput } from './times.js';

export const expiryPresets = ['7', '30', '90', 'year'] as const;
/** The choices for `Expires on`. */
const expiryChoices = ['keep', ...expiryPresets, 'custom'] as const;
export type ExpiryChoice = (typeof expiryChoices)[number];

interface Limits {
  readonly nowMs: number;
  readonly maxExpiresOn: string;
}

/** The submitted input, to be shown again unchanged. */
export interface ExpiryInput {
  readonly choice: ExpiryChoice;
  /** As sent by `<input type="datetime-local">`: a time in UTC, without a zone. */
  readonly custom: string;
}

export function readExpiryInput(form: URLSearchParams): ExpiryInput {
  const choice = expiryChoices.find((one) => one === form.get('expiry')) ?? 'custom';
  return { choice, custom: (form.get('expiresOn') ?? '').trim() };
}

/**
 * The requested expiry (rule K4); `undefined` to keep the current one, also as the form has filled it in, without seconds
 * (rule K6). Invalid input is passed on: `apiKeys` refuses it.
 */
export function toExpiresOn({ choice, custom }: ExpiryInput, limits: Limits, current?: string): string | undefined {
  if (choice === 'keep') return undefined;
  if (choice === 'custom' && current !== undefined && custom === formatForInput(current)) return undefined;
  if (choice === 'custom') return /T[\d:.]+$/.test(custom) ? `${custom}Z` : custom;
  return expiryOfPreset(choice, limits);
}

export function expiryOfPreset(choice: (typeof expiryPresets)[number], { nowMs, maxExpiresOn }: Limits): string {
  if (choice === 'year') return maxExpiresOn;
  return `${new Date(nowMs + Number(choice) * dayMs).toISOString().slice(0, 10)}T23:59:59.999Z`;
}
