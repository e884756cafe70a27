import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { normalize } from '../../internal/index.js';

// OWASP lists several equivalent settings; this one needs the least memory: 16 MiB per check.
const defaultCost = { logN: 14, r: 8, p: 5 };
const saltBytes = 16;
const hashBytes = 32;
const storedPattern = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{43})$/;
/** Takes as long to check as any other, and no password has a hash of zeros. */
const nobodys = format(Buffer.alloc(saltBytes), Buffer.alloc(hashBytes));

/**
 * Hashes a password for Basic authentication and sign-in, with scrypt and a random salt (rule K14).
 *
 * @returns text to store: `$scrypt$ln=14,r=8,p=5$salt$hash`
 * @throws TypeError when `password` is not a non-empty string, or contains a NUL
 */
export async function hashPassword(password: string): Promise<string> {
  if (typeof password !== 'string' || password === '') throw new TypeError('`password` must be a non-empty string.');
  if (password.includes('\0')) throw new TypeError('`password` must not contain a NUL.');
  const salt = randomBytes(saltBytes);
  return format(salt, await derive(password, salt, defaultCost));
}

function format(salt: Buffer, hash: Buffer): string {
  const { logN, r, p } = defaultCost;
  return `$scrypt$ln=${logN},r=${r},p=${p}$${base64(salt)}$${base64(hash)}`;
}

/** Whether a stored hash is one that {@link verifyPassword} can read. Of any other it says that no password matches. */
export function isPasswordHash(stored: string): boolean {
  return storedPattern.test(stored);
}

/**
 * Whether a password matches a hash from {@link hashPassword}. Pass `undefined` for an unknown user: the check takes as
 * long and returns `false`, so response times do not reveal which users exist.
 */
export async function verifyPassword(password: string, stored: string | undefined): Promise<boolean> {
  const [, logN, r, p, salt = '', hash = ''] = storedPattern.exec(stored ?? '') ?? storedPattern.exec(nobodys) ?? [];
  const given = typeof password === 'string' ? password : '';
  const cost = { logN: Number(logN), r: Number(r), p: Number(p) };
  const derived = await derive(given, Buffer.from(salt, 'base64'), cost);
  // HMAC fills short keys up with NULs, so `pw` and `pw\0` have one hash.
  return timingSafeEqual(derived, Buffer.from(hash, 'base64')) && !given.includes('\0');
}

function derive(password: string, salt: Buffer, { logN, r, p }: typeof defaultCost): Promise<Buffer> {
  const N = 2 ** logN;
  return new Promise((resolve, reject) => {
    // Keyboards and systems send different forms of "é": use one.
    scrypt(normalize(password), salt, hashBytes, { N, r, p, maxmem: 256 * N * r }, (error, hash) => {
      if (error === null) resolve(hash);
      else reject(error);
    });
  });
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replaceAll('=', '');
}
