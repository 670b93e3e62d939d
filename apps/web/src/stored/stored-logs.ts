import type { LineJson } from '../logs/log-api.ts';

/** Lines of a log. `next`: where the next request continues; null at the end of the log. */
interface StoredPart {
  readonly content: readonly LineJson[];
  readonly next: number | null;
}

/** The parts of a log in order, each with the number of its first line. */
type Blocks = readonly (readonly [first: number, part: string])[];
type Load = (part: string) => Promise<readonly LineJson[]>;

/** Maximum matches per response, as in the read API. */
const maxMatches = 100;

/** Reads lines from `from` on. */
export async function readStoredLines(blocks: Blocks, load: Load, from: number, max: number): Promise<StoredPart> {
  const content: LineJson[] = [];
  for (const part of partsFrom(blocks, from))
    for (const line of await load(part)) {
      if (line.line < from) continue;
      if (content.length === max) return { content, next: line.line };
      content.push(line);
    }
  return { content, next: null };
}

/**
 * The lines from `from` on that contain a text, ignoring case. If the signal aborts, throws its
 * reason.
 */
export async function searchStoredLines(
  blocks: Blocks,
  load: Load,
  from: number,
  text: string,
  signal: AbortSignal | undefined,
): Promise<StoredPart> {
  const wanted = text.toLowerCase();
  const content: LineJson[] = [];
  for (const part of partsFrom(blocks, from)) {
    signal?.throwIfAborted();
    for (const line of await load(part)) {
      if (line.line < from || !line.text.toLowerCase().includes(wanted)) continue;
      content.push(line);
      if (content.length === maxMatches) return { content, next: line.line + 1 };
    }
  }
  return { content, next: null };
}

/** The part that contains a line, and all parts after it. */
function* partsFrom(blocks: Blocks, from: number): Generator<string> {
  for (const [i, [, part]] of blocks.entries()) if ((blocks[i + 1]?.[0] ?? Infinity) > from) yield part;
}
