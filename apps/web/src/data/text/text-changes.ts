import { diffLines, diffWordsWithSpace } from 'diff';

/** A part of a line. */
export interface TextPart {
  readonly text: string;
  /** Whether the part differs from the corresponding line of the other text. */
  readonly changed: boolean;
}

/** A line in the comparison of two texts. */
export interface ComparedLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly parts: readonly TextPart[];
}

/** A line in the comparison of two texts, or a gap: equal lines far from any change. */
export type ChangedLine = ComparedLine | { readonly kind: 'gap'; readonly lines: readonly ComparedLine[] };

export interface TextChanges {
  readonly lines: readonly ChangedLine[];
  readonly added: number;
  readonly removed: number;
}

/** Number of equal lines kept before and after a change. */
const context = 3;

/**
 * Limits of the search for the smallest change. Its time grows quadratically, so hostile texts
 * could take minutes. Words are compared in blocks of at most this many characters. The comparison
 * of lines may take `maxMs`, and so may the comparison of all words together.
 */
const maxMs = 200;
const lineLimits = { maxEditLength: 2_000, timeout: maxMs } as const;
const maxWordEdits = 500;
const maxWordCharacters = { block: 20_000, all: 200_000 } as const;

/**
 * The changes between two texts: by line, and by word in changed lines. Null if the texts differ
 * too much to be compared.
 */
export function changesOf(before: string, after: string): TextChanges | null {
  const blocks = diffLines(ended(before), ended(after), lineLimits);
  if (!blocks) return null;
  const lines: ChangedLine[] = [];
  const deadline = performance.now() + maxMs;
  let [added, removed, left] = [0, 0, maxWordCharacters.all as number];
  for (const [i, { value, count, ...block }] of blocks.entries()) {
    if (block.removed) removed += count;
    else if (block.added) added += count;
    const next = blocks[i + 1];
    const last = blocks[i - 1];
    if (block.removed && next?.added) {
      const length = value.length + next.value.length;
      const byWord = length <= Math.min(left, maxWordCharacters.block);
      if (byWord) left -= length;
      lines.push(...replaced(value, next.value, byWord ? deadline - performance.now() : 0));
    } else if (block.added && last?.removed)
      continue; // together with the removed lines
    else if (block.removed || block.added) lines.push(...plain(value, block.added ? 'added' : 'removed'));
    else lines.push(...shortened(plain(value, 'same'), i === 0, i === blocks.length - 1));
  }
  return { lines, added, removed };
}

/** Adds a final line feed, so that a missing one does not count as a change. */
function ended(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  const lines = text.split('\n');
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines;
}

function plain(text: string, kind: ComparedLine['kind']): ComparedLine[] {
  return linesOf(text).map((line) => ({ kind, parts: [{ text: line, changed: false }] }));
}

/** Shortens a block of equal lines: lines far from any change form a gap. */
function shortened(lines: readonly ComparedLine[], isFirst: boolean, isLast: boolean): readonly ChangedLine[] {
  const head = isFirst ? 0 : context;
  const tail = isLast ? 0 : context;
  const end = lines.length - tail;
  if (end - head < 2) return lines; // a gap would be as long as the line
  return [...lines.slice(0, head), { kind: 'gap', lines: lines.slice(head, end) }, ...lines.slice(end)];
}

/** Lines that replace other lines. Marks the words that differ, if they are found within `ms`. */
function replaced(before: string, after: string, ms: number): ChangedLine[] {
  const words = ms > 0 ? diffWordsWithSpace(before, after, { maxEditLength: maxWordEdits, timeout: ms }) : undefined;
  if (!words) return [...plain(before, 'removed'), ...plain(after, 'added')];
  return [
    ...marked(
      words.filter((word) => !word.added),
      'removed',
    ),
    ...marked(
      words.filter((word) => !word.removed),
      'added',
    ),
  ];
}

function marked(
  words: readonly { readonly value: string; readonly added: boolean; readonly removed: boolean }[],
  kind: 'added' | 'removed',
) {
  const lines: { kind: typeof kind; parts: TextPart[] }[] = [{ kind, parts: [] }];
  for (const { value, added, removed } of words)
    for (const [i, text] of value.split('\n').entries()) {
      if (i > 0) lines.push({ kind, parts: [] });
      if (text !== '') lines.at(-1)!.parts.push({ text, changed: added || removed });
    }
  if (lines.at(-1)!.parts.length === 0) lines.pop(); // after the last line feed
  return lines;
}
