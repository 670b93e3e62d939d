import { badUtf8 } from './rejection.ts';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of `buf[start, end)`. Throws {@link badUtf8} if these bytes are not UTF-8. */
export function utf8(buf: Uint8Array, start: number, end: number): string {
  try {
    return decoder.decode(buf.subarray(start, end));
  } catch {
    // In fatal mode, TextDecoder can fail in only one way.
    throw badUtf8;
  }
}

/** Rejects bytes that are not UTF-8, without creating a string if they are ASCII. */
export function checkUtf8(buf: Uint8Array, start: number, end: number): void {
  for (let i = start; i < end; i++) {
    if (buf[i]! >= 0x80) {
      utf8(buf, i, end);
      return;
    }
  }
}
