import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, uint32ToBase62 } from './base62.ts';

const form = /^plt_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;
const tokenCharacters = 40;
const secretCharacters = 30;

/**
 * A new access token: `plt_`, a secret of 30 characters, and the CRC-32 of both as six base62
 * digits. The prefix lets secret scanners find leaked tokens; the checksum lets us reject other
 * strings without a database query.
 */
export function newToken(): string {
  const secret = newSecret();
  return `plt_${secret}${checksum(secret)}`;
}

/**
 * Whether a string has the form and the checksum of a token; the token may still be unknown. The
 * length is checked first, because reading a long concatenated string copies all of it.
 */
export function looksLikeToken(text: string): boolean {
  const match = text.length === tokenCharacters ? form.exec(text) : null;
  return match !== null && checksum(match[1]!) === match[2];
}

/**
 * A new secret, for a token, a sign-in link or a browser session: 30 random characters (178 bits).
 */
export function newSecret(): string {
  return randomBase62(secretCharacters);
}

/**
 * Whether a string has the form of {@link newSecret}; anything else is rejected without a database
 * query.
 */
export function looksLikeSecret(text: string): boolean {
  return text.length === secretCharacters && /^[0-9A-Za-z]{30}$/.test(text);
}

/**
 * The stored form of a secret: its SHA-256. Our secrets are random and long, so a fast hash without
 * a salt is sufficient.
 */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(secret: string): string {
  return uint32ToBase62(crc32(secret));
}
