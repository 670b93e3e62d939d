import { randomInt } from 'node:crypto';

/**
 * RFC 8628, 6.1: no vowels, which avoids words, and no letters that look like digits. 20⁸ codes are
 * 34.6 bits, and attempts are limited.
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const form = new RegExp(`^[${letters}]{8}$`);

/** A code that a person types: eight letters, without the displayed hyphen. */
export function newUserCode(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}

/** The displayed form: `WDJB-MJHT`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/**
 * Normalizes a typed code, which can contain lowercase letters, spaces and a hyphen. Returns null
 * if it cannot be a code.
 */
export function readUserCode(typed: string): string | null {
  const code = typed
    .slice(0, 100)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  return form.test(code) ? code : null;
}
