import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../simulation/seeded-random.js';
import { judgeStranger } from './judge.js';
import { type Stranger, strangers } from './stranger.js';

// Some of them, always the same; `npm run strangers` judges all.
const seed = 14;
const most = { broken: 9, warned: 2, right: 4 };
/** These only take time. */
const slow = /slow|takes-seconds|hangs|no-length|one-connection|longer/;

const { found } = await strangers();
const plain = found.find(({ id }) => id === 'node/plain')!;
const defect = found.find(({ id }) => id === 'node/denial-is-a-401')!;

function some(verdict: Stranger['verdict']): Stranger[] {
  const random = seededRandom(seed);
  const candidates = found.filter((each) => each.verdict === verdict && !slow.test(each.id));
  const inOrder = candidates.map((each) => ({ each, order: random() })).sort((one, other) => one.order - other.order);
  return inOrder.slice(0, most[verdict]).map(({ each }) => each);
}

describe.concurrent('the kit judges rightly', () => {
  it.each([...some('broken'), ...some('warned'), ...some('right')])('$id: $what', async (stranger) => {
    const { wrong, problems } = await judgeStranger(stranger);
    expect(wrong, problems.map(({ id, message }) => `${id}: ${message}`).join('\n')).toBeUndefined();
  });
});

describe.concurrent('a judgment that is wrong is found (control)', () => {
  it.each<[string, Stranger, RegExp]>([
    ['of what keeps the contract', { ...plain, verdict: 'broken', shows: '' }, /does not keep the contract/],
    ['of what does not', { ...defect, verdict: 'right' }, /it keeps the contract/],
    ['with a message about something else', { ...defect, shows: 'retry-after' }, /no failure matches/],
  ])('%s', async (_name, stranger, wrong) => {
    expect((await judgeStranger(stranger)).wrong).toMatch(wrong);
  });
});
