import { badUtf8 } from './refusal.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of `buf[start, end)`. Throws a {@link badUtf8} refusal where these bytes are not UTF-8. */
export function utf8(buf: Uint8Array, start: number, end: number): string {
  try {
    return decoder.decode(buf.subarray(start, end));
  } catch {
    // TextDecoder has one way to fail in fatal mode.
    throw badUtf8;
  }
}

/** Refuses bytes that are not UTF-8 without making a string of them if they are ASCII. */
export function checkUtf8(buf: Uint8Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    if (buf[i]! >= 0x80) {
      utf8(buf, i, end);
      return;
    }
  }
}
