import { randomBytes } from 'node:crypto';

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * `length` characters of [0-9A-Za-z] from the system's random source, all equally likely: 5.95 bits
 * each.
 */
export function randomBase62(length: number): string {
  let text = '';
  while (text.length < length) {
    // 248 = 4 × 62: larger bytes would make the first digits more likely.
    for (const byte of randomBytes(length)) if (byte < 248 && text.length < length) text += digits[byte % 62];
  }
  return text;
}

/** A uint32 as exactly six base62 digits (62⁶ > 2³²). */
export function uint32ToBase62(value: number): string {
  let text = '';
  for (let rest = value; text.length < 6; rest = Math.floor(rest / 62)) text = digits[rest % 62]! + text;
  return text;
}
