// What readers of foreign input cost by its size, for the worst of many shapes (E8): `npm run bench:readers`.
import { parseArgs } from 'node:util';
import { shapes } from '../../test/helpers/growth.js';
import { describeLoad, describeMachine } from '../machine.js';
import { round } from '../table.js';
import { type Reader, readers } from './readers.js';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
  },
});
const times = values.quick ? 2 : 5;
/** From this size on, only the shapes that cost most so far. */
const manyShapesBytes = 16 * 1024;
const fewShapes = 6;

interface Row {
  readonly bytes: number;
  readonly us: number;
}

/** The least of several runs: what else the machine does only ever adds to it. */
async function leastUs({ read }: Reader, text: string): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let time = 0; time < times; time++) {
    const startedAt = performance.now();
    try {
      await read(text);
    } catch {
      // Refused: only the time is of interest.
    }
    least = Math.min(least, (performance.now() - startedAt) * 1000);
  }
  return least;
}

/** The worst shape's time at every doubling up to the reader's bound. */
async function measure(reader: Reader): Promise<Row[]> {
  const rows: Row[] = [];
  let left = shapes;
  for (let bytes = Math.max(64, reader.boundBytes / 1024); bytes <= reader.boundBytes; bytes *= 2) {
    const costs: { shape: (typeof shapes)[number]; us: number }[] = [];
    for (const shape of left) costs.push({ shape, us: await leastUs(reader, shape.of(bytes).slice(0, bytes)) });
    costs.sort((one, other) => other.us - one.us);
    rows.push({ bytes, us: costs[0]!.us });
    if (bytes >= manyShapesBytes) left = costs.slice(0, fewShapes).map(({ shape }) => shape);
  }
  return rows;
}

console.log(`${describeMachine()}; ${new Date().toISOString()}\n${describeLoad()}\n`);
const lines = [
  '| reader | largest input, bytes | ms | ns a byte | of a small one | four times the input |',
  '|---|---|---|---|---|---|',
];
for (const reader of readers.filter(({ name }) => name.includes(values.only))) {
  await leastUs(reader, shapes[0]!.of(256));
  const rows = await measure(reader);
  const [first, last] = [rows[0]!, rows.at(-1)!];
  const nsPerByte = ({ us, bytes }: Row) => (us * 1000) / bytes;
  // Four where time is linear, sixteen where it is quadratic; below a millisecond it is noise.
  const steps = rows.slice(2).map(({ us }, index) => (us < 1000 ? 0 : us / rows[index]!.us));
  const longestStep = Math.max(...steps);
  if (nsPerByte(last) > 4 * nsPerByte(first) || longestStep > 9) process.exitCode = 1;
  const cells = [
    ...[reader.name, last.bytes.toLocaleString('en'), round(last.us / 1000), round(nsPerByte(last))],
    ...[round(nsPerByte(first)), longestStep === 0 ? '–' : `${round(longestStep)} ×`],
  ];
  lines.push(`| ${cells.join(' | ')} |`);
}
console.log(lines.join('\n'));
if (process.exitCode === 1) console.log('A reader takes more time for a byte of a large input than of a small one.');
process.exit();
