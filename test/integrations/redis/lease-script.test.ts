import type { LeaseRequest } from 'concordat/client';
import { describe, expect, it } from 'vitest';
import { leaseRules } from '../../../src/integrations/redis/lease-script.js';
import { lease, type SharedQuota } from '../../helpers/lease-rules.js';
import { seededRandom } from '../../simulation/seeded-random.js';
import { redisServer, serverProgram } from './helpers/redis-server.js';

/** Answers one question after the other, from what is stored as text in between. */
const script = `${leaseRules}
local stored, results = nil, {}
for index, question in ipairs(cjson.decode(ARGV[1])) do
  local shared, answer = lease(stored, question.request, question.now)
  local text = cjson.encode(shared)
  stored = cjson.decode(text)
  results[index] = { cjson.decode(text), answer }
end
return cjson.encode(results)`;

/** What processes may tell and ask, likely or not. */
function anyRequest(random: () => number, last: SharedQuota | undefined): LeaseRequest {
  const below = (count: number) => Math.floor(random() * count);
  const maybe = (chance: number, value: number) => (random() < chance ? value : 0);
  return {
    window: maybe(0.9, Math.max(0, (last?.window ?? 0) - maybe(0.2, below(3)))),
    want: maybe(0.8, below(80)),
    ticket: maybe(0.3, below((last?.tail ?? 1) + 2)),
    probed: maybe(0.2, 1),
    unused: maybe(0.3, below(60) - 20),
    limitedMs: maybe(0.2, below(12_000)),
    windowMs: below(20_000),
  };
}

describe.runIf(serverProgram)('the rules of the shared quota in Lua (G10)', () => {
  it('decide as those of the client do, whatever is asked, and in any order', async () => {
    const redis = (await redisServer()).connect();
    const seen = { granted: 0, probes: 0, windows: 0 };
    for (let seed = 1; seed <= 40; seed++) {
      const random = seededRandom(seed);
      let stored: SharedQuota | undefined;
      let now = 1_700_000_000_000;
      const questions: { request: LeaseRequest; now: number }[] = [];
      const results: ReturnType<typeof lease>[] = [];
      for (let step = 0; step < 150; step++) {
        now += Math.floor(random() * (random() < 0.1 ? 20_000 : 300)) - (random() < 0.01 ? 5000 : 0);
        const request = anyRequest(random, stored);
        questions.push({ request, now });
        const [shared, answer] = lease(stored, request, now);
        results.push([shared, answer]);
        stored = shared;
        seen.granted += answer.granted;
        seen.probes += answer.probe;
        seen.windows = Math.max(seen.windows, shared.window);
      }
      expect(JSON.parse((await redis.eval(script, 0, JSON.stringify(questions))) as string)).toEqual(results);
    }
    // Control: permits were leased, in more than one window, and probes too.
    expect(seen.granted).toBeGreaterThan(1000);
    expect(seen.probes).toBeGreaterThan(10);
    expect(seen.windows).toBeGreaterThan(5);
  });
});
