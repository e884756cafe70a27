import { drawChart as drawFigure } from '../figures.js';
import type { Reading } from '../reading.js';
import type { Sample } from './levels.js';

interface Panel {
  readonly title: string;
  of(reading: Reading): number;
}

const panels: readonly Panel[] = [
  { title: 'heap, MiB', of: ({ heapBytes }) => heapBytes / 1024 / 1024 },
  { title: 'memory, MiB', of: ({ rssBytes }) => rssBytes / 1024 / 1024 },
  { title: 'descriptors', of: ({ descriptors }) => descriptors },
  { title: 'event loop, usual delay, ms', of: ({ usualDelayMs }) => usualDelayMs },
];
const [width, height, left, gap] = [330, 130, 50, 60] as const;

/** A line for each part and measure over time. */
export function drawChart(samples: readonly Sample[]): string {
  const parts = Object.keys(samples[0]?.readings ?? {});
  const last = samples.at(-1)?.minute ?? 1;
  const drawn = panels.map((panel, index) => {
    const [x, y] = [left + (index % 2) * (width + gap), 60 + Math.floor(index / 2) * (height + gap)];
    return drawPanel(panel, samples, parts, last, x, y);
  });
  const legend = parts.map(
    (part, index) => `<text x="${left + index * 150}" y="24" class="line-${index}">${part}</text>`,
  );
  const title = `Memory, descriptors and event loop of ${parts.join(', ')} over ${Math.round(last)} minutes of trouble`;
  return drawFigure({
    id: 'soak-title',
    title,
    width: left + 2 * width + gap + 20,
    height: 60 + 2 * (height + gap),
    content: [...legend, ...drawn],
  });
}

function drawPanel(
  { title, of }: Panel,
  samples: readonly Sample[],
  parts: readonly string[],
  last: number,
  x: number,
  y: number,
): string {
  const most = 1.1 * Math.max(1, ...samples.flatMap(({ readings }) => parts.map((part) => of(readings[part]!))));
  const place = (minute: number, value: number) =>
    `${(x + (minute / last) * width).toFixed(1)},${(y + height - (value / most) * height).toFixed(1)}`;
  const lines = parts.map((part, index) => {
    const points = samples.map(({ minute, readings }) => place(minute, of(readings[part]!)));
    return `<polyline class="line-${index}" points="${points.join(' ')}" />`;
  });
  return [
    `<text x="${x}" y="${y - 10}">${title}</text>`,
    `<path class="axis" d="M${x} ${y}V${y + height}H${x + width}" />`,
    `<text x="${x - 6}" y="${y + 8}" class="end">${most.toFixed(0)}</text>`,
    `<text x="${x - 6}" y="${y + height}" class="end">0</text>`,
    `<text x="${x + width}" y="${y + height + 18}" class="end">${Math.round(last)} min</text>`,
    ...lines,
  ].join('\n  ');
}
