import type { BodyCondition, BodyPath, Match, Preset, PresetRule, WaitSource, WaitUnit } from 'concordat/connector';
import type { ReplySet } from './reply-set.js';

const columns = ['product', 'preset', 'checked against', 'recorded responses'] as const;

/** The table of docs/preset-list.md. */
export function tablePresets(replySets: Record<string, ReplySet>): string {
  const rows = Object.entries(replySets).map(([name, { product, checkedAgainst, replies }]) => {
    const recorded = replies.filter((reply) => reply.recorded !== undefined);
    return row([`[${product}](#${name})`, code(name), checkedAgainst, `${recorded.length} of ${replies.length}`]);
  });
  return [row(columns), row(columns.map(() => '---')), ...rows].join('\n');
}

/** The sections of docs/preset-list.md: what each preset says, in words. */
export function describePresets(presets: Record<string, Preset>, replySets: Record<string, ReplySet>): string {
  return Object.entries(presets)
    .map(([name, preset]) => describePreset(name, preset, replySets[name] as ReplySet))
    .join('\n\n');
}

/** Without what the page says once of all presets: the fallback of 60 s, and the 401 of an expired login. */
function describePreset(name: string, preset: Preset, { product, replies }: ReplySet): string {
  const expired = rulesOf(preset, 'unauthorized').map(describeWhen);
  const facts = [
    ['Rate limit', rulesOf(preset, 'rate-limit').map(describeLimit)],
    ['Wait', waitsOf(preset).map(describeWait)],
    ['Code', inOneLine((preset.code ?? []).map(describePlace))],
    ['Message', inOneLine((preset.message ?? []).map(describePath))],
    ['Expired login', expired.filter((when) => when !== '401')],
    ['Recorded', describeRecorded(replies)],
  ] as const;
  const lines = facts.flatMap(([what, items]) => (items.length === 0 ? [] : describeFact(what, items)));
  return [`### <a id="${name}"></a>${product}: ${code(name)}`, '', ...lines].join('\n');
}

/** In one line, or in one for each. */
function describeFact(what: string, items: readonly string[]): string[] {
  const [first, ...others] = [...new Set(items)];
  return others.length === 0
    ? [`- ${what}: ${first}`]
    : [`- ${what}:`, ...[first, ...others].map((item) => `  - ${item}`)];
}

const inOneLine = (items: string[]) => (items.length === 0 ? [] : [items.join(', ')]);

/** Which replies were recorded, where and when. */
function describeRecorded(replies: ReplySet['replies']): string[] {
  const sources = new Map<string, string[]>();
  for (const { what, recorded } of replies) {
    if (recorded === undefined) continue;
    const { from, on = 'day unknown' } = recorded;
    const source = `${from.startsWith('https:') ? `[a report](${from})` : from}, ${on}`;
    sources.set(source, [...(sources.get(source) ?? []), what]);
  }
  return [...sources].map(([source, whats]) => `${whats.join('; ')} (${source})`);
}

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const code = (text: string) => `\`${text}\``;

const rulesOf = ({ rules }: Preset, kind: PresetRule['is']) => rules.filter((rule) => rule.is === kind);

const waitsOf = (preset: Preset): WaitSource[] => rulesOf(preset, 'rate-limit').flatMap(({ wait }) => wait ?? []);

function describeLimit(rule: PresetRule): string {
  const { fallbackWaitMs = 60_000 } = rule;
  return fallbackWaitMs === 60_000
    ? describeWhen(rule)
    : `${describeWhen(rule)} (fallback ${describeMs(fallbackWaitMs)})`;
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
  return `${place} (${units[source.unit]}${margin})`;
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
