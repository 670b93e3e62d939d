import type { LogEntry } from '#store';

/** Distance between two entries in the index of a log. */
const entryBytes = 64 * 1024;

const lineFeed = 0x0a;

/** Counts the lines of a log as its bytes arrive, and records where the lines begin. */
export class LogIndexer {
  /** End of the bytes that have arrived so far. */
  offset: number;
  /** Line feeds so far. */
  lines: number;
  /** The offset at which the unfinished last line begins. */
  lineStart: number;
  readonly entries: LogEntry[] = [];
  #entry: number;

  /**
   * Continues at `offset`, where the log had these lines. If there is no entry, the first line is
   * at 0.
   */
  constructor(offset: number, known: { readonly lines: number; readonly lineStart: number; readonly entry: LogEntry | null }) {
    this.offset = offset;
    this.lines = known.lines;
    this.lineStart = known.lineStart;
    this.#entry = known.entry?.offset ?? 0;
    if (!known.entry) this.entries.push({ offset: 0, lines: 0 });
  }

  /** Takes the next bytes. */
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length;) {
      const next = this.#entry + entryBytes;
      const end = Math.min(piece.length, at + Math.max(1, next - this.offset));
      this.#count(piece, at, end);
      this.offset += end - at;
      at = end;
      if (this.offset < next) continue;
      this.#entry = this.offset;
      this.entries.push({ offset: this.offset, lines: this.lines });
    }
  }

  #count(piece: Uint8Array, start: number, end: number): void {
    for (let at = piece.indexOf(lineFeed, start); at >= 0 && at < end; at = piece.indexOf(lineFeed, at + 1)) {
      this.lines++;
      this.lineStart = this.offset + at + 1 - start;
    }
  }
}
