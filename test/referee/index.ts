export { judgeSeed, judgeSeeds } from './batch.js';
export { seedOf } from './random.js';
export { formatFinding, trace } from './report.js';
