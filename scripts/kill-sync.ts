// npm run kill-sync -- --runs 100 [--seed 1] [--redis redis://…]
// Synchronisations on several workers of which some are killed (kill -9) at random moments: nothing may be lost or doubled.
import { parseArgs } from 'node:util';
import { killWorkers } from '../test/examples/service/helpers/killed-workers.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '10' },
    seed: { type: 'string', default: '1' },
    redis: { type: 'string' },
  },
});
const redisUrl = values.redis ?? process.env.CONCORDAT_REDIS_URL;
if (redisUrl === undefined) throw new Error('Name a redis with --redis, or run this with scripts/with-redis.sh.');

let failures = 0;
for (let run = 0; run < Number(values.runs); run++) {
  const seed = Number(values.seed) + run;
  const { problems, kills, repeated, seconds } = await killWorkers({ redisUrl, seed });
  const verdict = problems.length === 0 ? 'equal' : problems.join('; ');
  console.log(`seed ${seed}: ${kills} kills, ${repeated} pages repeated, ${seconds.toFixed(0)} s: ${verdict}`);
  if (problems.length > 0) failures++;
}
console.log(failures === 0 ? 'Nothing was lost, nothing was doubled.' : `${failures} runs failed.`);
process.exitCode = failures === 0 ? 0 : 1;
