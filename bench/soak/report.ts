import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { writeFigures } from '../figures.js';
import { describeLoad, describeMachine } from '../machine.js';
import type { Reading } from '../reading.js';
import { drawChart } from './chart.js';
import type { Level, Sample } from './levels.js';

export interface Soak {
  readonly minutes: number;
  readonly samples: readonly Sample[];
  readonly levels: readonly Level[];
  /** How often each trouble was made. */
  readonly counts: ReadonlyMap<string, number>;
  readonly facts: Readonly<Record<string, number>>;
  readonly complaints: readonly string[];
}

const fields = ['heapBytes', 'rssBytes', 'sockets', 'descriptors', 'usualDelayMs', 'longestDelayMs'] as const;

/** Writes the figures, the chart, and the tables into the page where there is one. Prints the tables. */
export function writeReport(folder: string, soak: Soak): void {
  writeFileSync(path.join(folder, 'images/soak.csv'), toCsv(soak.samples));
  writeFileSync(path.join(folder, 'images/soak.svg'), drawChart(soak.samples));
  const tables = toTables(soak);
  console.log(`${tables}\n\nwritten to ${folder}`);
  writeFigures(path.join(folder, 'proofs.md'), 'npm run soak', tables);
}

function toCsv(samples: readonly Sample[]): string {
  const parts = Object.keys(samples[0]?.readings ?? {});
  const head = ['minute', ...parts.flatMap((part) => fields.map((field) => `${part} ${field}`))];
  const rows = samples.map(({ minute, readings }) => [
    minute.toFixed(2),
    ...parts.flatMap((part) => fields.map((field) => textOf(readings[part]!, field))),
  ]);
  return `${[head, ...rows].map((row) => row.join(',')).join('\n')}\n`;
}

const textOf = (reading: Reading, field: (typeof fields)[number]) =>
  field.endsWith('Ms') ? reading[field].toFixed(1) : reading[field];

function toTables({ minutes, levels, counts, facts, complaints }: Soak): string {
  const text = (value: number, unit: string) => `${value.toFixed(unit === '' ? 0 : 1)} ${unit}`.trim();
  const parts = [...new Set(levels.map(({ part }) => part))];
  const measures = [...new Set(levels.map(({ measure }) => measure))];
  const cell = (part: string, measure: string) => {
    const { before, after, unit, isLevel } = levels.find((level) => level.part === part && level.measure === measure)!;
    return `${text(before, unit)} → ${text(after, unit)}${isLevel ? '' : ' **rises**'}`;
  };
  return [
    `${minutes} minutes on ${new Date().toISOString().slice(0, 10)}: ${describeMachine()}, ${describeLoad()} at the end.`,
    complaints.length === 0
      ? 'Nothing was lost or doubled, and every level holds.'
      : `${complaints.length} complaints.`,
    '',
    table(
      ['second quarter → last', ...measures],
      parts.map((part) => [part, ...measures.map((name) => cell(part, name))]),
    ),
    '',
    `Trouble: ${[...counts.values()].reduce((sum, count) => sum + count, 0)} times, of ${counts.size} kinds.`,
    '',
    `Work: ${list(facts)}.`,
  ].join('\n');
}

const list = (counts: Soak['facts']) =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count.toLocaleString('en')}`)
    .join(', ');

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
}
