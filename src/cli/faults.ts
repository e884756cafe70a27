import { InvalidArgumentError } from 'commander';
import type { FaultRule } from '../testing/index.js';
import { parseCount, parseDuration } from './values.js';

const plain = ['reset', 'hang', 'truncated', 'never-ending', 'html', 'expired', 'huge'] as const;

/** Parses `503@7,reset@20,slow=500ms`: faults, each on every request or on every Nth. */
export function parseFaults(text: string): FaultRule[] {
  return text.split(',').map((item) => {
    const [, kind = '', value, every] = /^([a-z0-9-]+)(?:=([a-z0-9.]+))?(?:@(\d+))?$/.exec(item.trim()) ?? [];
    const fault = parseFault(kind, value);
    if (fault === undefined) {
      throw new InvalidArgumentError(
        `"${item}" is not a fault. Write KIND or KIND@N, separated by commas: 503@7, limit=2s@50, slow=500ms, ${plain.join(', ')}.`,
      );
    }
    if (every === undefined) return fault;
    if (Number(every) === 0) throw new InvalidArgumentError(`"${item}": N must be 1 or more.`);
    return { ...fault, every: parseCount(every) };
  });
}

function parseFault(kind: string, value: string | undefined): FaultRule | undefined {
  if (kind === 'slow') return { kind, delayMs: parseDuration(value ?? '1s') };
  if (kind === 'limit') return { kind, waitMs: parseDuration(value ?? '1s') };
  if (value !== undefined) return undefined;
  if (/^[45]\d\d$/.test(kind)) return { kind: 'status', status: Number(kind) };
  const found = plain.find((name) => name === kind);
  return found && { kind: found };
}
