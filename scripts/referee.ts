// The long run of the referee: `npm run referee -- --scenarios 3000 --seed 7`. See docs/proofs.md.
import { randomInt } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { formatFinding, judgeSeed, judgeSeeds, seedOf, trace } from '../test/referee/index.js';
import { createProgress, isWorker, shareOut, toCount, toSeed, workOnBatches } from './share-out.js';

/** One process's share at a time; its scenarios run several at once, since they mostly wait. */
const batchSize = 50;

interface Batch {
  readonly seeds: readonly number[];
  readonly atOnce: number;
}

interface Done {
  readonly runs: number;
  readonly requests: number;
  readonly findings: ReadonlyArray<{ seed: number; rules: readonly string[]; text: string }>;
}

interface Options {
  readonly scenarios: number;
  readonly seed?: number;
  readonly jobs: number;
  readonly atOnce: number;
  readonly show: number;
  readonly again?: number;
  readonly trace?: true;
}

function readOptions(): Options {
  return new Command('npm run referee --')
    .description('Plays scenarios in real time against a connector that judges the client by docs/rules.md.')
    .option('--scenarios <number>', 'how many', toCount, 3000)
    .option('--seed <number>', 'where the random numbers start (default: another one each time)', toSeed)
    .option('--jobs <number>', 'how many processes', toCount, availableParallelism())
    .option('--at-once <number>', 'how many scenarios run at once in a process', toCount, 12)
    .option('--show <number>', 'how many findings to print whole', toCount, 3)
    .option('--again <seed>', 'plays the scenario of a finding again', toSeed)
    .option('--trace', 'with --again: prints what happened although it breaks no rule')
    .parse()
    .opts<Options>();
}

async function perform({ seeds, atOnce }: Batch): Promise<Done> {
  let requests = 0;
  const findings: Array<Done['findings'][number]> = [];
  await judgeSeeds(seeds, {
    atOnce,
    onDone({ ledger, violations }) {
      requests += ledger.sends.length;
      if (violations.length === 0) return;
      const rules = [...new Set(violations.map(({ rule }) => rule))];
      findings.push({ seed: ledger.scenario.seed, rules, text: formatFinding(ledger, violations) });
    },
  });
  return { runs: seeds.length, requests, findings };
}

async function main(): Promise<void> {
  const { scenarios, jobs, atOnce, show, again, seed = randomInt(2 ** 31), trace: traced } = readOptions();
  if (again !== undefined) {
    const { ledger, violations } = await judgeSeed(again);
    if (violations.length > 0) process.exitCode = 1;
    if (traced && violations.length === 0) console.log(trace(ledger).join('\n'));
    console.log(violations.length > 0 ? formatFinding(ledger, violations) : 'Nothing breaks a rule.');
    return;
  }
  const startedAt = performance.now();
  console.log(`${scenarios} scenarios; seed ${seed}`);
  const seeds = Array.from({ length: scenarios }, (_, index) => seedOf(seed, index));
  const batches = Array.from({ length: Math.ceil(scenarios / batchSize) }, (_, index) => ({
    seeds: seeds.slice(index * batchSize, (index + 1) * batchSize),
    atOnce,
  }));
  const progress = createProgress(scenarios, 'scenarios', startedAt);
  const findings: Array<Done['findings'][number]> = [];
  let requests = 0;
  await shareOut<Batch, Done>({
    ...{ script: fileURLToPath(import.meta.url), jobs, batches },
    onDone(done) {
      progress.add(done.runs);
      requests += done.requests;
      for (const finding of done.findings) {
        findings.push(finding);
        if (findings.length <= show) console.log(`\n${finding.text}\n`);
      }
    },
  });
  progress.end();
  for (const finding of findings) console.log(`seed ${finding.seed}: ${finding.rules.join(', ')}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const verdict = findings.length === 0 ? 'no rule is broken' : `${findings.length} scenarios break a rule`;
  console.log(`${scenarios} scenarios, ${requests} requests, ${seconds} s: ${verdict}.`);
  if (findings.length > 0) process.exitCode = 1;
}

if (isWorker) workOnBatches(perform);
else await main();
