import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { CliError, exitCodes } from '../exit.ts';

/** The text of a file in pieces, without a byte order mark. Throws if it is not UTF-8. */
export async function* textPieces(path: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let lines = 0;
  let started = false;
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024 }) as AsyncIterable<Buffer>) {
    if (!started && isUtf16(piece)) throw notText(`${path} is UTF-16 text. Convert it to UTF-8, for example with iconv.`);
    started = true;
    let text: string;
    try {
      text = decoder.decode(piece, { stream: true });
    } catch (error) {
      throw notText(`Line ${lines + badLine(piece)} of ${path} is not UTF-8 text. Convert the file to UTF-8.`, error);
    }
    for (let at = piece.indexOf(10); at >= 0; at = piece.indexOf(10, at + 1)) lines++;
    yield text;
  }
  try {
    decoder.decode();
  } catch (error) {
    throw notText(`The last character of ${path} is incomplete.`, error);
  }
}

/** Whether a file starts with Latin letters in UTF-16, with or without a byte order mark. */
function isUtf16(start: Buffer): boolean {
  const [first, second] = start;
  if (first === undefined || second === undefined) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || (first === 0) !== (second === 0);
}

/**
 * The number of the first line that is not UTF-8, starting at 1. The line's first character may
 * start in an earlier piece.
 */
function badLine(piece: Buffer): number {
  let start = 0;
  while (start < 3 && (piece[start]! & 0xc0) === 0x80) start++;
  for (let line = 1; ; line++) {
    const end = piece.indexOf(10, start);
    if (end < 0 || !isUtf8(piece.subarray(start, end))) return line;
    start = end + 1;
  }
}

function notText(message: string, cause?: unknown): CliError {
  return new CliError(exitCodes.failed, message, { code: 'unreadable', cause });
}
