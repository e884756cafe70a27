// npm run kill-sync -- [--runs 100] [--seed 1] [--redis Redis://…]
// Synchronizations on several workers of which some are killed (kill -9) at random moments: nothing may be lost or doubled.
// Uses the databases 1 and 2 of that Redis.
import { parseArgs } from 'node:util';
import { killRuns } from '../test/examples/service/helpers/killed-workers.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    redis: { type: 'string' },
  },
});
const redisUrl = values.redis ?? process.env.CONCORDAT_REDIS_URL;
if (redisUrl === undefined) throw new Error('Name a redis with --redis, or run this with scripts/with-redis.sh.');

const seeds = Array.from({ length: Number(values.runs) }, (_, run) => Number(values.seed) + run);
const problems = await killRuns(redisUrl, seeds, (seed, killed) => {
  const { kills, repeated, seconds } = killed;
  const verdict = killed.problems.length === 0 ? 'equal' : killed.problems.join('; ');
  console.log(`seed ${seed}: ${kills} kills, ${repeated} pages repeated, ${seconds.toFixed(0)} s: ${verdict}`);
});
console.log(problems.length === 0 ? 'Nothing was lost, nothing was doubled.' : `${problems.length} problems.`);
process.exitCode = problems.length === 0 ? 0 : 1;
