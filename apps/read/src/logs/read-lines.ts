import { StringDecoder } from 'node:string_decoder';
import { setImmediate as nextTurn } from 'node:timers/promises';

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A line of a log. */
export interface LogLine {
  /** From 1. */
  readonly line: number;
  /** Without the line feed and a carriage return before it. */
  readonly text: string;
  /** Whether the text is only the beginning of a longer line. */
  readonly cut: boolean;
}

/** Lines of a log. `next`: where the next request continues; null at the end of the log. */
export interface LogPart {
  readonly content: readonly LogLine[];
  readonly next: number | null;
}

/** Selects lines of a log. */
export interface LineBounds {
  /**
   * Line feeds before the first byte. If no line starts there, the partial line is before `from`.
   */
  readonly linesBefore: number;
  /** The number of the first line, starting at 1. */
  readonly from: number;
  readonly maxLines: number;
  readonly maxLineBytes: number;
  /** Maximum total bytes of the lines; at least one line is returned. */
  readonly maxBytes: number;
  /** Approximate maximum number of bytes to read. */
  readonly maxReadBytes: number;
}

/**
 * Reads lines from consecutive pieces of a log, until there are enough. A last line without a line
 * feed also counts as a line. Bytes that are not UTF-8 become replacement characters.
 */
export async function readLines(pieces: AsyncIterable<Buffer>, bounds: LineBounds): Promise<LogPart> {
  const found: LogLine[] = [];
  let line = bounds.linesBefore + 1;
  let bytes = 0;
  let read = 0;
  let begun: Buffer[] = [];
  let begunBytes = 0;
  let isCut = false;
  const end = (): void => {
    if (line >= bounds.from) found.push({ line, text: textOf(Buffer.concat(begun), isCut), cut: isCut });
    bytes += begunBytes;
    begun = [];
    begunBytes = 0;
    isCut = false;
    line++;
  };
  const isFull = (): boolean => found.length >= bounds.maxLines || (found.length > 0 && bytes >= bounds.maxBytes);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length && !isFull();) {
      const feed = piece.indexOf(lineFeed, at);
      const stop = feed < 0 ? piece.length : feed;
      if (line >= bounds.from) {
        const kept = piece.subarray(at, Math.min(stop, at + bounds.maxLineBytes - begunBytes));
        if (kept.length < stop - at) isCut = true;
        if (kept.length > 0) begun.push(kept);
        begunBytes += kept.length;
      }
      if (feed >= 0) end();
      at = stop + 1;
    }
    read += piece.length;
    if (isFull()) return { content: found, next: line };
    if (read >= bounds.maxReadBytes && (found.length > 0 || begunBytes > 0)) {
      // If a line does not end, its beginning is returned.
      if (found.length === 0) {
        isCut = true;
        end();
      }
      return { content: found, next: line };
    }
  }
  if (begunBytes > 0) end();
  return { content: found, next: null };
}

/** Selects the part of a log to search. */
export interface SearchBounds {
  /** As for `readLines`. */
  readonly linesBefore: number;
  readonly from: number;
  readonly maxLines: number;
  readonly maxLineBytes: number;
  /** Approximate maximum number of bytes to search. */
  readonly maxBytes: number;
}

/** Longer lines are searched in parts of this size. */
const blockBytes = 1024 * 1024;

/** Searches for a string, ignoring case, in consecutive pieces of a log. */
export async function searchLines(pieces: AsyncIterable<Buffer>, text: string, bounds: SearchBounds): Promise<LogPart> {
  const search = new BlockSearch(text.toLowerCase(), bounds);
  let searched = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const piece of pieces) {
    for (let at = 0; at < piece.length; at += blockBytes) {
      const block = Buffer.concat([rest, piece.subarray(at, at + blockBytes)]);
      searched += block.length - rest.length;
      const feed = block.lastIndexOf(lineFeed);
      if (feed < 0 && block.length < blockBytes) {
        rest = block;
        continue;
      }
      const end = feed < 0 ? block.length : feed + 1;
      if (search.take(block.subarray(0, end))) return { content: search.matches, next: search.line };
      // Parts of a line overlap, so that a match across their boundary is found.
      rest = feed < 0 ? block.subarray(end - Math.min(end, Buffer.byteLength(text) * 2)) : block.subarray(end);
      // If a line does not end, its beginning is searched.
      if (searched >= bounds.maxBytes) return { content: search.matches, next: search.line + (feed < 0 ? 1 : 0) };
      await nextTurn();
    }
  }
  search.take(rest);
  return { content: search.matches, next: null };
}

/**
 * Searches block by block. A block ends at the end of a line, or the next block continues the line.
 */
class BlockSearch {
  readonly matches: LogLine[] = [];
  /** The line in which the next block begins. */
  line: number;
  readonly #wanted: string;
  readonly #bounds: SearchBounds;
  #isInLine = false;

  constructor(wanted: string, bounds: SearchBounds) {
    this.#wanted = wanted;
    this.#bounds = bounds;
    this.line = bounds.linesBefore + 1;
  }

  /** Returns whether there are enough matches; `line` is then the line after the last match. */
  take(block: Buffer): boolean {
    const text = block.toString();
    // Most blocks have no match, and are not split into lines.
    if (text.toLowerCase().includes(this.#wanted)) {
      for (const [index, one] of text.split('\n').entries()) {
        const line = this.line + index;
        if (line < this.#bounds.from || this.matches.at(-1)?.line === line || !one.toLowerCase().includes(this.#wanted)) continue;
        const bytes = Buffer.from(one);
        const cut = bytes.length > this.#bounds.maxLineBytes || (index === 0 && this.#isInLine);
        this.matches.push({ line, text: textOf(bytes.subarray(0, this.#bounds.maxLineBytes), cut), cut });
        if (this.matches.length < this.#bounds.maxLines) continue;
        this.line = line + 1;
        return true;
      }
    }
    for (let at = block.indexOf(lineFeed); at >= 0; at = block.indexOf(lineFeed, at + 1)) this.line++;
    this.#isInLine = block.at(-1) !== lineFeed;
    return false;
  }
}

/** The text of a line. If the line is cut inside a character, omits that character. */
function textOf(bytes: Buffer, cut: boolean): string {
  if (cut) return new StringDecoder('utf8').write(bytes);
  return bytes.toString('utf8', 0, bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length);
}
