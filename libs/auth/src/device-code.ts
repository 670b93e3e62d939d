import { randomInt } from 'node:crypto';

/** RFC 8628, 6.1: no vowels, so that no words come about; nothing that looks like a digit. 20⁸ codes are 34.6 bits, of which nobody may try many. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const form = new RegExp(`^[${letters}]{8}$`);

/** A code that a person types: eight letters, without the hyphen that it is shown with. */
export function newUserCode(): string {
  return Array.from({ length: 8 }, () => letters[randomInt(letters.length)]).join('');
}

/** As it is shown: `WDJB-MJHT`. */
export function showUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}

/** What somebody typed, in small letters, with spaces, with or without the hyphen, as the code that it is; null: it cannot be one. */
export function readUserCode(typed: string): string | null {
  const code = typed
    .slice(0, 100)
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '');
  return form.test(code) ? code : null;
}
