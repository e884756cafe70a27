import { readFileSync } from 'node:fs';
import { InvalidArgumentError } from 'commander';
import { UsageError } from './io.js';

const unitsMs: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** `250ms`, `30s`, `5m`, `1h` → milliseconds. */
export function parseDuration(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text.trim()) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Write it with a unit: 250ms, 30s, 5m, 1h.');
  return Number(digits) * (unitsMs[unit] as number);
}

/** `100/1s` → 100 requests a second. */
export function parseLimit(text: string): { limit: number; windowMs: number } {
  const [, limit, window = ''] = /^([1-9]\d*)\/(.+)$/.exec(text.trim()) ?? [];
  if (limit === undefined) throw new InvalidArgumentError('Write it as REQUESTS/TIME: 100/1s, 5000/1h.');
  // People also write `100/s`.
  return { limit: Number(limit), windowMs: parseDuration(/^\d/.test(window) ? window : `1${window}`) };
}

export function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Give a whole number.');
  return Number(text);
}

export function parsePort(text: string): number {
  const port = parseCount(text);
  if (port > 65_535) throw new InvalidArgumentError('A port is at most 65535.');
  return port;
}

/** For repeatable options. */
export const collect = (text: string, before: string[] | undefined): string[] => [...(before ?? []), text];

export function parseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
    throw new InvalidArgumentError('Give the whole URL, such as http://127.0.0.1:4000.');
  }
  if (url.username !== '' || url.password !== '') {
    // commander would quote the URL, password included.
    throw new UsageError('Credentials do not belong in the URL: use --initialize.');
  }
  if (/[?#]/.test(text)) throw new UsageError('The URL of a connector has no query or fragment.');
  return text;
}

/** Without the byte order mark that some editors put first. */
export const readText = (file: string): string => new TextDecoder().decode(readFileSync(file));

/** Without the options that were not given. */
export function given<Options extends object>(options: Options) {
  const entries = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as { [Name in keyof Options]?: Exclude<Options[Name], undefined> };
}
