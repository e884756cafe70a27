/** Runs the kit against the strangers: `npm run strangers`, or `npm run strangers -- --only node/plain`. */
import { parseArgs } from 'node:util';
import { type Judgement, judgeStranger } from './judge.js';
import { type Stranger, strangers } from './stranger.js';

const help = `npm run strangers -- [options]

  --only <text>      those whose id contains the text; may be repeated
  --wrong            print only those that are judged wrongly
  --parallel <n>     how many at once (2)
`;

const { values } = parseArgs({
  options: {
    only: { type: 'string', multiple: true },
    wrong: { type: 'boolean', default: false },
    parallel: { type: 'string', default: '2' },
    help: { type: 'boolean', default: false },
  },
});

const print = (text: string) => process.stdout.write(`${text}\n`);

function show({ stranger, verdict, right, failures }: Judgement) {
  if (right && values.wrong) return;
  print(`${right ? '✓' : '✗'} ${stranger.id.padEnd(46)} expected ${stranger.verdict.padEnd(6)}  judged ${verdict}`);
  if (right && stranger.verdict === 'right') return;
  if (!right) print(`    ${stranger.what}${stranger.rule ? ` (${stranger.rule})` : ''}`);
  if (!right && stranger.shows) print(`    a message has to match /${stranger.shows}/i`);
  for (const { id, status, message } of failures) print(`    ${status} ${id}: ${message.split('\n')[0]}`);
}

async function main() {
  if (values.help) return print(help);
  const { found, missing } = await strangers();
  for (const { language, why } of missing) print(`- ${language} is left out: ${why}`);
  const only = values.only;
  const chosen = only ? found.filter(({ id }) => only.some((text) => id.includes(text))) : found;
  if (chosen.length === 0) throw new Error(`No stranger's id contains ${only?.join(' or ')}.`);

  const waiting: Stranger[] = [...chosen];
  const judgements: Judgement[] = [];
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const judgement = await judgeStranger(next);
      judgements.push(judgement);
      show(judgement);
    }
  };
  await Promise.all(Array.from({ length: Number(values.parallel) }, work));

  const wrong = judgements.filter(({ right }) => !right).length;
  for (const language of new Set(chosen.map((stranger) => stranger.language))) {
    const own = judgements.filter(({ stranger }) => stranger.language === language);
    print(`${language}: ${own.filter(({ right }) => right).length} of ${own.length} judged rightly`);
  }
  process.exitCode = wrong > 0 ? 1 : 0;
}

await main();
