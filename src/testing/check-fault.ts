import { checkCount, checkDuration, checkObject } from './check.js';
import type { Fault } from './types.js';
import { limitFormats } from './wait-flaws.js';

const kinds: Record<Fault['kind'], (fault: never, option: string) => void> = {
  status: ({ status }: { status: number }, option) => checkStatus(status, 400, `${option}.status`),
  limit(fault: Extract<Fault, { kind: 'limit' }>, option) {
    if (fault.waitMs !== undefined) checkDuration(fault.waitMs, `${option}.waitMs`);
    if (fault.format !== undefined) checkFormat(fault.format, `${option}.format`);
    if (fault.status !== undefined) checkStatus(fault.status, 400, `${option}.status`);
  },
  expired: () => {},
  reset: () => {},
  hang: () => {},
  truncated: optionalStatus,
  'never-ending': optionalStatus,
  html: optionalStatus,
  slow: ({ delayMs }: { delayMs: number }, option) => checkDuration(delayMs, `${option}.delayMs`),
  huge(fault: Extract<Fault, { kind: 'huge' }>, option) {
    if (fault.bytes !== undefined) checkCount(fault.bytes, 1, `${option}.bytes`);
    optionalStatus(fault, option);
  },
  body(fault: Extract<Fault, { kind: 'body' }>, option) {
    if (typeof fault.body !== 'string') throw new TypeError(`\`${option}.body\` must be text.`);
    optionalStatus(fault, option);
  },
};

/** @throws TypeError naming the option that is wrong. */
export function checkFault(fault: unknown, option: string): Fault {
  const { kind } = checkObject(fault, option) as { kind?: unknown };
  const check = Object.hasOwn(kinds, String(kind)) ? kinds[kind as Fault['kind']] : undefined;
  if (check === undefined) {
    throw new TypeError(
      `\`${option}.kind\` must be one of ${Object.keys(kinds).join(', ')}, got ${JSON.stringify(kind)}.`,
    );
  }
  check(fault as never, option);
  return fault as Fault;
}

/** @throws TypeError naming the option when the format is neither one of rule W4 nor a flaw. */
export function checkFormat(format: unknown, option: string): void {
  if (limitFormats.some((known) => known === format)) return;
  throw new TypeError(`\`${option}\` must be one of ${limitFormats.join(', ')}, got ${JSON.stringify(format)}.`);
}

function optionalStatus({ status }: { status?: number | undefined }, option: string): void {
  if (status !== undefined) checkStatus(status, 200, `${option}.status`);
}

function checkStatus(status: unknown, least: number, option: string): void {
  if (typeof status === 'number' && Number.isInteger(status) && status >= least && status <= 599) return;
  throw new TypeError(`\`${option}\` must be a status from ${least} to 599, got ${String(status)}.`);
}
