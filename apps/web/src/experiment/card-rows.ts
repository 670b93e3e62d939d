import { groupTags, nameFilter, type View } from '#charts';
import type { TagJson } from '../api/types.ts';

/** A row of the page of cards: the head of a group, or the cards side by side. */
export type CardRow =
  | {
      readonly kind: 'head';
      readonly key: string;
      readonly title: string;
      readonly group: string;
      readonly count: number;
      readonly folded: boolean;
    }
  | { readonly kind: 'cards'; readonly key: string; readonly tags: readonly string[] };

/** Cards that are delivered with the page, before its script has run. */
export const firstCards = 12;

/** Pixels, as in the style sheet. */
export const rowHeights = { head: 36, cards: 252 } as const;

/** Minimum width of a card, and its distance from the next one; as in the style sheet. */
export const cardWidths = { least: 340, gap: 12 } as const;

/**
 * How many cards fit side by side in this many pixels: like CSS with `repeat(auto-fill,
 * minmax(340px, 1fr))`.
 */
export function columnsIn(width: number): number {
  return Math.max(1, Math.floor((width + cardWidths.gap) / (cardWidths.least + cardWidths.gap)));
}

/** Names of groups are parts of tags, so none of them has a slash. */
export const pinnedGroup = '/pinned';

/** The tags with scalars that pass the filter. */
export function scalarTags(tags: readonly TagJson[], filter: string): string[] {
  const { matches } = nameFilter(filter);
  const scalars = tags.filter(({ data_class: dataClass, tag }) => dataClass === 'scalar' && matches(tag));
  return [...new Set(scalars.map(({ tag }) => tag))];
}

/** The groups of the page, the pinned tags first; these also appear in their own groups. */
export function cardGroups(
  tags: readonly string[],
  pinned: readonly string[],
): { readonly group: string; readonly title: string; readonly tags: readonly string[] }[] {
  const known = new Set(tags);
  const top = pinned.filter((tag) => known.has(tag));
  const groups = groupTags(tags).map(({ name, tags: members }) => ({ group: name, title: name, tags: members }));
  return top.length > 0 ? [{ group: pinnedGroup, title: 'Pinned', tags: top }, ...groups] : groups;
}

/** The tags of the first cards of a page. */
export function firstTags(
  tags: readonly TagJson[],
  { tagFilter, pinned, folded }: Pick<View, 'tagFilter' | 'pinned' | 'folded'>,
): string[] {
  const groups = cardGroups(scalarTags(tags, tagFilter), pinned).filter(({ group }) => !folded.includes(group));
  return [...new Set(groups.flatMap(({ tags: members }) => members).slice(0, firstCards))];
}

/**
 * Approximate pixels of a wide window without cards: the list of runs beside them, and the parts
 * above.
 */
const aroundCards = { beside: 304, above: 140 } as const;

/** The tags of the cards in a window of this size before scrolling, approximately. */
export function tagsInView(
  tags: readonly TagJson[],
  view: Pick<View, 'tagFilter' | 'pinned' | 'folded'>,
  width: number,
  height: number,
): string[] {
  let left = height - aroundCards.above;
  const seen = cardRows(scalarTags(tags, view.tagFilter), view, columnsIn(width - aroundCards.beside)).flatMap((row) => {
    const isSeen = left > 0;
    left -= rowHeights[row.kind];
    return isSeen && row.kind === 'cards' ? row.tags : [];
  });
  return [...new Set(seen)];
}

/** All rows of the page, for this number of columns. */
export function cardRows(tags: readonly string[], view: Pick<View, 'pinned' | 'folded'>, columns: number): CardRow[] {
  const folded = new Set(view.folded);
  return cardGroups(tags, view.pinned).flatMap(({ group, title, tags: members }): CardRow[] => {
    const head: CardRow = { kind: 'head', key: `${group}/`, title, group, count: members.length, folded: folded.has(group) };
    const lines = folded.has(group) ? [] : chunksOf(members, columns);
    return [head, ...lines.map((line): CardRow => ({ kind: 'cards', key: `${group}/${line[0]!}`, tags: line }))];
  });
}

function chunksOf<T>(list: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(list.length / size) }, (_, i) => list.slice(i * size, (i + 1) * size));
}
