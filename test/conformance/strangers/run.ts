/** Runs the kit against the strangers: `npm run strangers`, or `npm run strangers -- --only node/plain`. */
import { parseArgs } from 'node:util';
import { type Judgment, judgeStranger } from './judge.js';
import { type Stranger, strangers } from './stranger.js';

const help = `npm run strangers -- [options]

  --only <text>      those whose id contains the text; may be repeated
  --wrong            print only those that are judged wrongly
  --skipped          print what was declared and not judged, too
  --parallel <n>     how many at once (2)
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    wrong: { type: 'boolean', default: false },
    skipped: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

const print = (text: string) => process.stdout.write(`${text}\n`);

function show({ stranger, verdict, wrong, problems, skipped }: Judgment) {
  if (!wrong && values.wrong) return;
  const { id, language } = stranger;
  print(
    `${wrong ? '✗' : '✓'} ${id.padEnd(46)} ${language.padEnd(6)}  expected ${stranger.verdict.padEnd(6)}  judged ${verdict}`,
  );
  if (wrong) print(`    ${stranger.what}${stranger.rule ? ` (${stranger.rule})` : ''} But ${wrong}.`);
  for (const { id, status, message } of problems) print(`    ${status} ${id}: ${message.split('\n')[0]}`);
  if (values.skipped) for (const { id, reason } of skipped) print(`    skipped ${id}: ${reason}`);
}

async function main() {
  if (values.help) return print(help);
  const { found, missing } = await strangers();
  for (const { language, why } of missing) print(`- ${language} is left out: ${why}`);
  const only = values.only;
  const chosen = only ? found.filter(({ id }) => only.some((text) => id.includes(text))) : found;
  if (chosen.length === 0) {
    print(`No id contains ${only?.join(' or ')}.`);
    process.exitCode = 2;
    return;
  }

  const waiting: Stranger[] = [...chosen];
  const judgments: Judgment[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const judgment = await judgeStranger(next);
      judgments.push(judgment);
      show(judgment);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));

  const wrong = judgments.filter(({ wrong }) => wrong).length;
  for (const language of new Set(chosen.map((stranger) => stranger.language))) {
    const own = judgments.filter(({ stranger }) => stranger.language === language);
    print(`${language}: ${own.filter(({ wrong }) => !wrong).length} of ${own.length} judged rightly`);
  }
  process.exitCode = wrong > 0 ? 1 : 0;
}

await main();
