import { hashPassword, verifyPassword } from 'concordat/api-keys';
import { describe, expect, it } from 'vitest';
import { cheapHash } from '../helpers/cheap-hash.js';

describe('passwords (K14)', () => {
  it('are hashed by scrypt with a salt of their own, and verified', async () => {
    const [one, two] = await Promise.all([hashPassword('correct horse'), hashPassword('correct horse')]);
    expect(one).toMatch(/^\$scrypt\$ln=14,r=8,p=5\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
    expect(one).not.toBe(two);
    expect(await verifyPassword('correct horse', one)).toBe(true);
    expect(await verifyPassword('correct horse', two)).toBe(true);
    expect(await verifyPassword('Correct horse', one)).toBe(false);
    const cheap = cheapHash('correct horse');
    expect(await verifyPassword('correct horse', cheap)).toBe(true); // control: the cost is read from the hash
    for (const wrong of ['Correct horse', '', undefined as unknown as string]) {
      expect(await verifyPassword(wrong, cheap)).toBe(false);
    }
  });

  it('fit whatever form of a letter the keyboard sends', async () => {
    expect(await verifyPassword('Caf\u00e9', await hashPassword('Cafe\u0301'))).toBe(true);
  });

  it.each([undefined, '', 'plain text', '$scrypt$ln=14,r=8,p=5$x$y', '$2b$10$abcdefghijklmnopqrstuv'])(
    'never fit what is no hash (%s)',
    async (stored) => {
      expect(await verifyPassword('', stored)).toBe(false);
      expect(await verifyPassword(stored ?? 'x', stored)).toBe(false);
    },
  );

  it('with a NUL fit nothing: scrypt takes a short one for the same password without the NULs at its end', async () => {
    const stored = cheapHash('pw');
    expect(await verifyPassword('pw', stored)).toBe(true);
    for (const other of ['pw\0', 'pw\0\0\0', 'p\0w', '\0pw']) {
      expect(await verifyPassword(other, stored)).toBe(false);
      await expect(hashPassword(other)).rejects.toThrow('`password` must not contain a NUL.');
    }
  });

  it('must not be empty', async () => {
    await expect(hashPassword('')).rejects.toThrow(/`password`/);
    await expect(hashPassword(7 as unknown as string)).rejects.toThrow(/`password`/);
  });
});
