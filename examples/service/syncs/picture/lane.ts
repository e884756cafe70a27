import { formatDuration, formatRate } from './format.js';
import { barsOf, type Frame, ticksOf } from './frame.js';
import { endOf, type PictureData, pauseEnd, pausesOf } from './model.js';
import { describeLane } from './words.js';

const gutter = 34;
const right = 6;
const top = 20;
const plotHeight = 84;
const axisHeight = 22;
const height = top + plotHeight + axisHeight;

/**
 * The picture of one connection, as SVG: bars for requests per second, shaded bands for pauses, diamonds for logins, a line
 * for the quota. Colors come from the stylesheet by class, for there is no style in the page itself.
 */
export function drawLane(data: PictureData, connection: string, frame: Frame, width: number): string {
  const { run } = data;
  const plotWidth = width - gutter - right;
  const x = (timeMs: number) =>
    gutter + Math.min(1, Math.max(0, (timeMs - frame.fromMs) / (frame.toMs - frame.fromMs))) * plotWidth;
  const y = (rate: number) => top + plotHeight - Math.min(1, rate / frame.maxRate) * plotHeight;
  const hatch = `hatch-${connection.replace(/\W/g, '-')}`;
  const quota = drawQuota(data, connection, frame, x, y, width);
  const pauses = drawPauses(data, connection, frame, x, hatch);
  const label = describeLane(data, connection, frame.nowMs ?? endOf(run, 0));
  return [
    `<svg class="lane-picture" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escapeText(label)}">`,
    `<defs><pattern id="${hatch}" width="7" height="7" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">`,
    '<path class="hatch" d="M0 0V7"/></pattern></defs>',
    ...[frame.maxRate, frame.maxRate / 2, 0].flatMap((rate) => [
      `<path class="${rate === 0 ? 'base-line' : 'grid-line'}" d="M${gutter} ${at(y(rate))}H${width - right}"/>`,
      `<text class="scale" x="${gutter - 7}" y="${at(y(rate) + 4)}">${formatRate(rate)}</text>`,
    ]),
    ...ticksOf(frame, run.startedMs, Math.max(2, Math.floor(plotWidth / 78))).flatMap((tick) => [
      `<path class="grid-line" d="M${at(x(tick.atMs))} ${top}V${top + plotHeight + 4}"/>`,
      ...(x(tick.atMs) > width - 18
        ? []
        : [`<text class="time-label" x="${at(x(tick.atMs))}" y="${height - 4}">${tick.label}</text>`]),
    ]),
    ...pauses.bands,
    ...barsOf(data, connection, frame).flatMap(({ fromMs, requests, refused, rate }) => {
      const left = x(fromMs);
      const barWidth = Math.max(1.5, x(fromMs + frame.binSeconds * 1000) - left - 1);
      // However little it is, it is seen.
      const upper = Math.min(y(rate), top + plotHeight - 2);
      const refusedShare = Math.min(1, refused / Math.max(1, requests));
      const refusedHeight = refused === 0 ? 0 : Math.max(3, (top + plotHeight - upper) * refusedShare);
      return [
        bar('bar', left, upper, barWidth, top + plotHeight - upper),
        ...(refused === 0 ? [] : [bar('bar-refused', left, upper, barWidth, refusedHeight)]),
      ];
    }),
    quota.line,
    ...drawLogins(data, connection, frame, x),
    ...(frame.nowMs === undefined
      ? []
      : [
          `<path class="now" d="M${at(x(frame.nowMs))} ${top - 6}V${top + plotHeight}"/>`,
          `<circle class="now-dot" cx="${at(x(frame.nowMs))}" cy="${top - 6}" r="3"/>`,
        ]),
    ...pauses.labels,
    quota.label,
    '</svg>',
  ].join('');
}

type Scale = (timeMs: number) => number;

/** The bands lie behind the bars, and their labels before everything. */
function drawPauses(data: PictureData, connection: string, frame: Frame, x: Scale, hatch: string) {
  const bands: string[] = [];
  const labels: string[] = [];
  const { run } = data;
  const nowMs = frame.nowMs ?? endOf(run, frame.toMs);
  for (const pause of pausesOf(data, connection)) {
    const { atMs, endedMs, untilMs } = pause;
    const isOpen = endedMs === null && frame.nowMs !== undefined;
    const endMs = pauseEnd(pause, run, nowMs);
    const lastMs = isOpen ? Math.max(untilMs, nowMs) : endMs;
    if (lastMs <= frame.fromMs || atMs >= frame.toMs) continue;
    const [left, middle, last] = [x(atMs), x(endMs), x(lastMs)];
    const text = isOpen ? `${formatDuration(untilMs - nowMs)} left` : formatDuration(endMs - atMs);
    const room = last - left;
    // About six units a letter; what has no room is in the table, and in the words beside the picture.
    const shown = [`Rate limit · ${text}`, text].find((words) => words.length * 6.2 + 8 < room);
    bands.push(
      bar('pause', left, top, middle - left, plotHeight),
      `<rect x="${at(left)}" y="${top}" width="${at(Math.max(0, middle - left))}" height="${plotHeight}" fill="url(#${hatch})"/>`,
      ...(isOpen ? [bar('pause-ahead', middle, top, last - middle, plotHeight)] : []),
      `<path class="pause-edge" d="M${at(left)} ${top}V${top + plotHeight}"/>`,
    );
    if (shown === undefined) continue;
    labels.push(
      `<text class="pause-label" x="${at((left + last) / 2)}" y="${top + plotHeight / 2 + 4}">${shown}</text>`,
    );
  }
  return { bands, labels };
}

function drawQuota({ run }: PictureData, connection: string, frame: Frame, x: Scale, y: Scale, width: number) {
  const quota = run.connections.find(({ name }) => name === connection)?.quota;
  if (quota === undefined || quota === null) return { line: '', label: '' };
  const rate = (quota.limit * 1000) / quota.windowMs;
  if (rate > frame.maxRate) return { line: '', label: '' };
  // Among bars it could not be read; it is in the line below the picture as well.
  const hasRoom = frame.nowMs !== undefined && width - right - x(frame.nowMs) > 70;
  return {
    line: `<path class="quota" d="M${gutter} ${at(y(rate))}H${width - right}"/>`,
    label: hasRoom
      ? `<text class="quota-label" x="${width - right - 2}" y="${at(y(rate) - 4)}">quota ${formatRate(rate)}/s</text>`
      : '',
  };
}

function drawLogins({ events }: PictureData, connection: string, { fromMs, toMs }: Frame, x: Scale): string[] {
  return events.flatMap((event) => {
    if (event.type !== 'login' || event.connection !== connection) return [];
    if (event.atMs < fromMs || event.atMs > toMs) return [];
    const center = at(x(event.atMs));
    return [
      `<path class="login-line" d="M${center} ${top - 3}V${top + plotHeight}"/>`,
      `<path class="login" d="M${center} ${top - 14}l5 5l-5 5l-5-5z"/>`,
    ];
  });
}

function bar(name: string, left: number, upper: number, width: number, barHeight: number): string {
  if (width <= 0 || barHeight <= 0) return '';
  return `<rect class="${name}" x="${at(left)}" y="${at(upper)}" width="${at(width)}" height="${at(barHeight)}"/>`;
}

/** A tenth of a unit is not seen. */
function at(value: number): string {
  return String(Math.round(value * 10) / 10);
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escapeText(text: string): string {
  return text.replace(/[&<>"]/g, (character) => entities[character] as string);
}
