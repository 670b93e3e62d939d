import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { randomBase62, uint32ToBase62 } from './base62.ts';

const form = /^plt_([0-9A-Za-z]{30})([0-9A-Za-z]{6})$/;

/**
 * A new access token: `plt_`, 30 random characters (178 bits), and the CRC-32 of those as six base62 digits. The prefix lets secret
 * scanners find leaked tokens, the checksum lets us refuse anything else without asking the database.
 */
export function newToken(): string {
  const secret = randomBase62(30);
  return `plt_${secret}${checksum(secret)}`;
}

/** Whether a text has the form and the checksum of a token; says nothing on whether it is one. */
export function looksLikeToken(text: string): boolean {
  const match = form.exec(text);
  return match !== null && checksum(match[1]!) === match[2];
}

/** What is stored of a secret: its SHA-256. Our secrets are random and long, so a fast hash without salt is enough. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

function checksum(secret: string): string {
  return uint32ToBase62(crc32(secret));
}
