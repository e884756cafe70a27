import { describe, expect, it } from 'vitest';
import { PasswordProofs } from '../../src/admin/authentication/password-proofs.js';

describe('proofs of recent passwords (K14)', () => {
  it('are kept in bounded number, the latest', () => {
    const proofs = new PasswordProofs({ monotonic: () => 0 });
    const present = (index: number) =>
      proofs.present(`source ${index}`, 'alice', 'secret', { id: 'u-alice', passwordHash: '$hash' });
    for (let index = 0; index < 10_000; index++) proofs.add(`source ${index}`, present(index));
    expect([proofs.holds(present(0)), proofs.knows('source 0')]).toEqual([true, true]);
    proofs.add('source 10000', present(10_000));
    expect([proofs.holds(present(0)), proofs.knows('source 0')]).toEqual([false, false]);
    for (const index of [1, 10_000]) {
      expect([proofs.holds(present(index)), proofs.knows(`source ${index}`)]).toEqual([true, true]);
    }
  });

  it('are of no use to another process', () => {
    const [one, other] = [0, 0].map(() => new PasswordProofs({ monotonic: () => 0 })) as [
      PasswordProofs,
      PasswordProofs,
    ];
    const user = { id: 'u-alice', passwordHash: '$hash' };
    const presented = one.present('source', 'alice', 'secret', user);
    other.add('source', presented);
    expect(other.holds(other.present('source', 'alice', 'secret', user))).toBe(false);
    one.add('source', presented);
    expect(one.holds(one.present('source', 'alice', 'secret', user))).toBe(true);
  });
});
