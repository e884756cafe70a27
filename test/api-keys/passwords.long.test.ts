import { hashPassword, verifyPassword } from 'concordat/api-keys';
import { expect, it } from 'vitest';

// test/admin/authentication.test.ts compares whole requests.
it('the check of a password takes as long for an unknown user as for a wrong password (K14)', async () => {
  const stored = await hashPassword('correct horse');
  const cpuOf = async (call: () => Promise<boolean>) => {
    const start = process.cpuUsage();
    await call();
    const { user, system } = process.cpuUsage(start);
    return user + system;
  };
  // The best of some rounds, in turn; without a hash to compute it would be next to nothing.
  const best = { wrong: Number.POSITIVE_INFINITY, unknown: Number.POSITIVE_INFINITY };
  for (let round = 0; round < 4; round++) {
    best.wrong = Math.min(best.wrong, await cpuOf(() => verifyPassword('wrong', stored)));
    best.unknown = Math.min(best.unknown, await cpuOf(() => verifyPassword('wrong', undefined)));
  }
  expect(best.unknown).toBeGreaterThan(best.wrong / 4);
});
