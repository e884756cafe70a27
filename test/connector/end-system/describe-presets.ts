import type { BodyCondition, BodyPath, Match, Preset, PresetRule, WaitSource, WaitUnit } from 'concordat/connector';
import type { ReplySet } from './reply-set.js';

const columns = [
  'product',
  'preset',
  'a limit is',
  'the wait is in',
  'or else',
  'code',
  'message',
  'an expired login is',
  'checked against',
] as const;

/** The table of docs/presets.md: what each preset says, in words. */
export function describePresets(presets: Record<string, Preset>, replySets: Record<string, ReplySet>): string {
  const rows = Object.entries(presets).map(([name, preset]) => {
    const { product, checkedAgainst } = replySets[name] as ReplySet;
    return row([
      product,
      code(name),
      lines(rulesOf(preset, 'rate-limit').map(describeWhen)),
      lines(waitsOf(preset).map(describeWait)),
      lines(fallbacksOf(preset)),
      lines((preset.code ?? []).map(describePlace)),
      lines((preset.message ?? []).map(describePath)),
      lines([...(name === 'generic' ? [] : ['401']), ...rulesOf(preset, 'unauthorized').map(describeWhen)]),
      checkedAgainst,
    ]);
  });
  return [row(columns), row(columns.map(() => '---')), ...rows].join('\n');
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const lines = (items: readonly string[]) => (items.length === 0 ? '–' : [...new Set(items)].join('<br>'));
/** A bar ends a cell, in code as well. */
const code = (text: string) => `\`${text.replaceAll('|', '\\|')}\``;

const rulesOf = ({ rules }: Preset, kind: PresetRule['is']) => rules.filter((rule) => rule.is === kind);

const waitsOf = (preset: Preset): WaitSource[] => rulesOf(preset, 'rate-limit').flatMap(({ wait }) => wait ?? []);

function fallbacksOf(preset: Preset): string[] {
  return rulesOf(preset, 'rate-limit').map(({ fallbackWaitMs = 60_000 }) => describeMs(fallbackWaitMs));
}

function describeWhen({ when: { status, headers, body } }: PresetRule): string {
  const conditions =
    body === undefined ? [] : Array.isArray(body) ? (body as BodyCondition[]) : [body as BodyCondition];
  const facts = [
    ...Object.entries(headers ?? {}).map(([name, match]) => `${code(name)}${describeMatch(match, ':')}`),
    ...conditions.map(({ path, matches }) => `${describePath(path)}${describeMatch(matches, ' =')}`),
  ];
  const statuses = status?.join(', ') ?? 'a failure';
  return facts.length === 0 ? statuses : `${statuses} with ${facts.join(' and ')}`;
}

function describeMatch(match: Match | false, sign: string): string {
  if (match === false) return ' missing';
  if (match === true) return '';
  if (typeof match === 'string') return `${sign} ${code(match)}`;
  // A plain choice of words reads better as such.
  const words = /^\^(?:\(\?:)?([\w| ]+?)\)?\$$/.exec(match.source)?.[1]?.split('|');
  return words === undefined ? ` ~ ${code(String(match))}` : `${sign} ${words.map(code).join(' or ')}`;
}

const units: Record<WaitUnit, string> = {
  auto: 'seconds or a date',
  seconds: 'seconds',
  milliseconds: 'milliseconds',
  'http-date': 'a date',
  'epoch-seconds': 'a time in seconds since 1970',
  'epoch-milliseconds': 'a time in milliseconds since 1970',
  'iso-8601': 'an ISO 8601 time',
  guess: 'seconds or a time, guessed',
};

function describeWait(source: WaitSource): string {
  if (typeof source === 'function') return 'worked out';
  if (source.bucket !== undefined) {
    const { cost, available, restorePerSecond } = source.bucket;
    return `(${describePath(cost)} − ${describePath(available)}) ÷ ${describePath(restorePerSecond)}`;
  }
  const place = source.header === undefined ? `${describePath(source.body)} of the body` : code(source.header);
  const margin = source.marginMs === undefined ? '' : `, and ${describeMs(source.marginMs)} more`;
  return `${place}: ${units[source.unit]}${margin}`;
}

function describePlace(place: BodyPath | BodyCondition): string {
  if (typeof place !== 'object' || !('path' in place)) return describePath(place);
  return `${describePath(place.path)} if it is one word`;
}

const describePath = (path: BodyPath) => code(typeof path === 'string' ? path : path.join(' → '));

function describeMs(ms: number): string {
  if (ms >= 3_600_000 && ms % 3_600_000 === 0) return `${ms / 3_600_000} h`;
  return ms >= 120_000 && ms % 60_000 === 0 ? `${ms / 60_000} min` : `${ms / 1000} s`;
}
