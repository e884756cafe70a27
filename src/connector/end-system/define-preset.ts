import { errorTable, headerProblem, waitFormats } from '../../contract/index.js';
import { checkKeys } from '../options.js';
import type { BodyCondition, BodyPath, HeaderReading, Preset, PresetRule, QuotaSource, WaitSource } from './preset.js';
import { presets } from './presets/index.js';
import { conditionsOf } from './translate.js';

/**
 * Checks a preset for {@link endSystemFetch}, and joins it with the one that it extends.
 *
 * @throws TypeError naming what is wrong, such as `rules[2].when.status`.
 * @example
 * const ledger = definePreset({
 *   name: 'ledger',
 *   code: ['fault.id'],
 *   message: ['fault.text'],
 *   rules: [
 *     {
 *       when: { status: [403], body: { path: 'fault.id', matches: 'QUOTA' } },
 *       is: 'rate-limit',
 *       wait: [{ header: 'x-quota-reset', unit: 'epoch-seconds' }],
 *     },
 *   ],
 * })
 */
export function definePreset(preset: Preset): Preset {
  checkKeys(preset, ['name', 'extends', 'rules', 'code', 'message', 'quota'], 'preset');
  const { extends: parent, ...own } = preset;
  if (typeof own.name !== 'string' || own.name === '') throw new TypeError('`name` must be a non-empty string.');
  checkCodes(own.code);
  checkPaths(own.message, 'message');
  checkQuota(own.quota);
  if (!Array.isArray(own.rules)) throw new TypeError('`rules` must be an array.');
  own.rules.forEach((rule, index) => {
    checkRule(rule, `rules[${index}]`);
  });
  if (parent === undefined) return Object.freeze(own);
  const base = choosePreset(parent, 'extends');
  return Object.freeze({
    name: own.name,
    rules: [...own.rules, ...base.rules],
    code: [...(own.code ?? []), ...(base.code ?? [])],
    message: [...(own.message ?? []), ...(base.message ?? [])],
    quota: [...(own.quota ?? []), ...(base.quota ?? [])],
  });
}

/** @throws TypeError naming the option; for a name that there is not, it lists those there are. */
export function choosePreset(preset: unknown, option: string): Preset {
  if (typeof preset === 'object' && preset !== null) return definePreset(preset as Preset);
  if (typeof preset === 'string' && Object.hasOwn(presets, preset)) return presets[preset as keyof typeof presets];
  throw new TypeError(`\`${option}\` must be one of ${Object.keys(presets).join(', ')}, or made by \`definePreset\`.`);
}

function checkQuota(quota: Preset['quota']): void {
  if (quota === undefined) return;
  if (!Array.isArray(quota)) throw new TypeError('`quota` must be an array.');
  for (const [index, source] of (quota as readonly QuotaSource[]).entries()) {
    const name = `quota[${index}]`;
    checkKeys(source, ['when', 'remaining', 'limit', 'reset', 'window'], name);
    const { when = {}, remaining, limit, reset, window } = source;
    for (const [header, match] of Object.entries(when)) checkMatch(match, `${name}.when.${header}`);
    checkHeader(remaining, `${name}.remaining`);
    if (limit !== undefined) checkHeader(limit, `${name}.limit`);
    if (reset !== undefined) checkReading(reset, `${name}.reset`);
    if (typeof window === 'object') checkReading(window, `${name}.window`);
    else checkMs(window, `${name}.window`);
  }
}

function checkReading(reading: HeaderReading, name: string): void {
  checkKeys(reading, ['header', 'unit', 'pattern', 'marginMs'], name);
  checkHeader(reading.header, `${name}.header`);
  checkSource(reading, name);
}

function checkHeader(header: unknown, name: string): void {
  const problem = typeof header === 'string' ? headerProblem(header, '') : 'it is not a string';
  if (problem !== undefined) throw new TypeError(`\`${name}\` must be the name of a header: ${problem}.`);
}

const ruleKeys = ['when', 'is', 'status', 'code', 'wait', 'fallbackWaitMs', 'leastWaitMs'];

function checkRule(rule: PresetRule, name: string): void {
  checkKeys(rule, ruleKeys, name);
  checkKeys(rule.when, ['status', 'headers', 'body'], `${name}.when`);
  const { status, headers, body } = rule.when;
  if (status !== undefined && !(Array.isArray(status) && status.every(isStatus))) {
    throw new TypeError(`\`${name}.when.status\` must be an array of HTTP statuses.`);
  }
  for (const [header, match] of Object.entries(headers ?? {})) checkMatch(match, `${name}.when.headers.${header}`);
  for (const condition of conditionsOf(body)) checkCondition(condition, `${name}.when.body`);
  if (!Object.hasOwn(errorTable, rule.is)) {
    throw new TypeError(`\`${name}.is\` must be one of ${Object.keys(errorTable).join(', ')}.`);
  }
  if (rule.status !== undefined && (rule.is !== 'other' || !isStatus(rule.status) || rule.status < 400)) {
    throw new TypeError(`\`${name}.status\` must be a status from 400 to 599, and \`is\` must be other.`);
  }
  checkMs(rule.fallbackWaitMs, `${name}.fallbackWaitMs`);
  checkMs(rule.leastWaitMs, `${name}.leastWaitMs`);
  if (rule.wait !== undefined && !Array.isArray(rule.wait)) throw new TypeError(`\`${name}.wait\` must be an array.`);
  rule.wait?.forEach((source, index) => {
    checkSource(source, `${name}.wait[${index}]`);
  });
}

function checkSource(source: WaitSource, name: string): void {
  if (typeof source === 'function') return;
  const given = (['header', 'body', 'bucket'] as const).filter((key) => source?.[key] !== undefined);
  if (given.length !== 1) {
    throw new TypeError(`\`${name}\` must have one of \`header\`, \`body\` and \`bucket\`, or be a function.`);
  }
  if (source.bucket !== undefined) {
    checkKeys(source, ['bucket'], name);
    checkKeys(source.bucket, ['cost', 'available', 'restorePerSecond'], `${name}.bucket`);
    checkPaths([source.bucket.cost, source.bucket.available, source.bucket.restorePerSecond], `${name}.bucket`);
    return;
  }
  checkKeys(source, ['header', 'body', 'bucket', 'unit', 'pattern', 'marginMs'], name);
  if (source.unit !== 'guess' && !waitFormats.includes(source.unit)) {
    throw new TypeError(`\`${name}.unit\` must be one of ${waitFormats.join(', ')}, guess.`);
  }
  if (source.body !== undefined) checkPaths([source.body], `${name}.body`);
  const { pattern, marginMs } = source;
  // A pattern that remembers where it stopped would find something in every second answer only.
  if (pattern !== undefined && !(pattern instanceof RegExp && !/[gy]/.test(pattern.flags))) {
    throw new TypeError(`\`${name}.pattern\` must be a pattern without the flags g and y.`);
  }
  checkMs(marginMs, `${name}.marginMs`);
}

function checkMs(value: number | undefined, name: string): void {
  if (value === undefined || (Number.isFinite(value) && value >= 0)) return;
  throw new TypeError(`\`${name}\` must be a number of milliseconds.`);
}

function checkCodes(codes: Preset['code']): void {
  if (codes === undefined) return;
  if (!Array.isArray(codes)) throw new TypeError('`code` must hold paths into the body.');
  for (const place of codes as readonly (BodyPath | BodyCondition)[]) {
    if (typeof place === 'object' && place !== null && 'path' in place) checkCondition(place, 'code');
    else checkPaths([place as BodyPath], 'code');
  }
}

function checkCondition(condition: BodyCondition, name: string): void {
  checkKeys(condition, ['path', 'matches'], name);
  checkPaths([condition.path], `${name}.path`);
  checkMatch(condition.matches, `${name}.matches`);
}

function checkPaths(paths: readonly BodyPath[] | undefined, name: string): void {
  if (paths === undefined) return;
  const isPath = (path: unknown) =>
    (typeof path === 'string' && path !== '') || (Array.isArray(path) && path.length > 0);
  if (!Array.isArray(paths) || !paths.every(isPath)) throw new TypeError(`\`${name}\` must hold paths into the body.`);
}

function checkMatch(match: unknown, name: string): void {
  if (match === true || typeof match === 'string' || match instanceof RegExp) return;
  throw new TypeError(`\`${name}\` must be true, a text or a pattern.`);
}

function isStatus(status: unknown): boolean {
  return Number.isInteger(status) && (status as number) >= 100 && (status as number) <= 599;
}
