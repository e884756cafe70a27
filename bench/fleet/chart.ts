import { drawChart } from '../figures.js';

export interface Line {
  readonly name: string;
  /** Processes, and refused requests a window. */
  readonly points: readonly (readonly [processes: number, refused: number])[];
}

const [left, top, width, height] = [60, 40, 560, 260] as const;
const decades = 4;

/** Refused requests a window over the number of processes, both in powers of ten. */
export function drawFleet(lines: readonly Line[]): string {
  const x = (processes: number) => left + (Math.log10(processes) / decades) * width;
  const y = (refused: number) =>
    top + height - (Math.min(decades, Math.log10(Math.max(1, refused))) / decades) * height;
  const ticks = Array.from({ length: decades + 1 }, (_, power) => (10 ** power).toLocaleString('en'));
  const drawn = lines.flatMap(({ name, points }, index) => {
    const places = points.map(([processes, refused]) => `${x(processes).toFixed(1)},${y(refused).toFixed(1)}`);
    const [, last = 1] = points.at(-1) ?? [];
    return [
      `<polyline class="line-${index}" points="${places.join(' ')}" />`,
      `<text x="${left + width + 8}" y="${(y(last) + 4).toFixed(1)}" class="line-${index}">${name}</text>`,
    ];
  });
  return drawChart({
    id: 'fleet-title',
    title: 'Refused requests a window over the number of processes: with the quota shared it stays at one',
    width: left + width + 150,
    height: top + height + 60,
    content: [
      `<text x="${left}" y="${top - 16}">refused requests a window</text>`,
      `<path class="axis" d="M${left} ${top}V${top + height}H${left + width}" />`,
      ...ticks.map((tick, power) => `<text x="${left - 8}" y="${y(10 ** power) + 4}" class="end">${tick}</text>`),
      ...ticks.map((tick, power) => `<text x="${x(10 ** power)}" y="${top + height + 20}">${tick}</text>`),
      `<text x="${left + width}" y="${top + height + 44}" class="end">processes</text>`,
      ...drawn,
    ],
  });
}
