import { randomBytes, scryptSync } from 'node:crypto';

/** As `hashPassword` makes them, at the least cost: the tests would wait for nothing else otherwise. */
export function cheapHash(password: string): string {
  const salt = randomBytes(16);
  const hash = scryptSync(password.normalize('NFC'), salt, 32, { N: 64, r: 8, p: 1 });
  return `$scrypt$ln=6,r=8,p=1$${unpadded(salt)}$${unpadded(hash)}`;
}

const unpadded = (bytes: Buffer) => bytes.toString('base64').replace(/=+$/, '');
