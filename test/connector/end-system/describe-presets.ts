import type { BodyCondition, BodyPath, Match, Preset, PresetRule, WaitSource } from 'concordat/connector';
import type { ReplySet } from './reply-set.js';

/** The list of docs/preset-list.md: which presets have been checked how far. */
export function listPresets(replySets: Record<string, ReplySet>): string {
  const groups = new Map<string, string[]>();
  for (const [name, { product, checkedAgainst }] of Object.entries(replySets)) {
    groups.set(checkedAgainst, [...(groups.get(checkedAgainst) ?? []), `[${product}](#${name})`]);
  }
  return [...groups].map(([checkedAgainst, links]) => `- **${checkedAgainst}**: ${links.join(', ')}`).join('\n');
}

/** The sections of docs/preset-list.md: what each preset says, in words. */
export function describePresets(presets: Record<string, Preset>, replySets: Record<string, ReplySet>): string {
  return Object.entries(presets)
    .map(([name, preset]) => describePreset(name, preset, replySets[name] as ReplySet))
    .join('\n\n');
}

/** Without what the page says once of all presets: the 401 of an expired login, 429, `retry-after`, the fallback of 60 s, and where messages are. */
function describePreset(name: string, preset: Preset, { product, replies }: ReplySet): string {
  const expired = rulesOf(preset, 'unauthorized').map(describeWhen);
  const limits = rulesOf(preset, 'rate-limit').map(describeLimit);
  const waits = waitsOf(preset).map(describeWait);
  const facts = [
    ['Rate limit', limits.filter((when) => when !== '429')],
    ['Wait', inOneLine(waits.every((wait) => wait === '`retry-after` (`auto`)') ? [] : [...new Set(waits)])],
    ['Code', inOneLine((preset.code ?? []).map(describePlace))],
    ['Expired login', expired.filter((when) => when !== '401')],
    ['Recorded', describeRecorded(replies)],
  ] as const;
  const lines = facts.flatMap(([what, items]) => (items.length === 0 ? [] : describeFact(what, items)));
  const heading = `### <a id="${name}"></a>${product}: ${code(name)}`;
  return [heading, '', ...(lines.length === 0 ? ['- Only what all presets say.'] : lines)].join('\n');
}

/** In one line, or in one for each. */
function describeFact(what: string, items: readonly string[]): string[] {
  const [first, ...others] = [...new Set(items)];
  return others.length === 0
    ? [`- ${what}: ${first}`]
    : [`- ${what}:`, ...[first, ...others].map((item) => `  - ${item}`)];
}

const inOneLine = (items: string[]) => (items.length === 0 ? [] : [items.join(', ')]);

/** Where and when replies were recorded. */
function describeRecorded(replies: ReplySet['replies']): string[] {
  const sources = replies
    .flatMap(({ recorded }) => recorded ?? [])
    .map(({ from, on = 'day unknown' }) => {
      return `${from.startsWith('https:') ? `[a report](${from})` : from}, ${on}`;
    });
  return [[...new Set(sources)].join('; ')].filter((text) => text !== '');
}

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

function describeWait(source: WaitSource): string {
  if (typeof source === 'function') return 'worked out';
  if (source.bucket !== undefined) {
    const { cost, available, restorePerSecond } = source.bucket;
    return `(${describePath(cost)} − ${describePath(available)}) ÷ ${describePath(restorePerSecond)}`;
  }
  const place = source.header === undefined ? `${describePath(source.body)} of the body` : code(source.header);
  const margin = source.marginMs === undefined ? '' : `, and ${describeMs(source.marginMs)} more`;
  return `${place} (${code(source.unit)}${margin})`;
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
