import { type CardSize, groupTags, nameFilter, naturally, nestTags, type Panel, panelText, rankTag, type View } from '#charts';
import type { TagJson } from '../api/types.ts';
import { deviceOf, deviceRank, quantityRank, systemName } from '../data/system-names.ts';
import { isSystemTag } from '../data/tabs.ts';
import { inChosenOrder } from './card-order.ts';
import { type Folding, isFolded } from './folding.ts';

/** A section of the page: a group of tags. The nested sections of a large section come after it. */
export interface Section {
  readonly group: string;
  readonly title: string;
  /** Its nesting depth. */
  readonly depth: number;
  /** The section's own cards, without those of nested sections. */
  readonly tags: readonly string[];
  /** The number of its cards, including those of nested sections. */
  readonly total: number;
  /** Charts with several tags. Only the section of panels has them, and it has no tags. */
  readonly panels?: readonly Panel[];
  readonly folded: boolean;
  /** Whether the section is inside a folded section. */
  readonly inFolded: boolean;
  /** Whether the section is folded by default. The view can override this. */
  readonly byDefault: boolean;
}

/**
 * A row on the page of cards: a section heading, some of a section's cards side by side, one card
 * as wide as the page, or several small sections side by side.
 */
export type CardRow =
  | { readonly kind: 'head'; readonly key: string; readonly section: Section }
  | {
      readonly kind: 'cards' | 'wide';
      readonly key: string;
      readonly group: string;
      readonly tags: readonly string[];
      readonly panels?: readonly Panel[];
    }
  | { readonly kind: 'shared'; readonly key: string; readonly sections: readonly Section[] };

/** Number of cards that are delivered with the page, before its script runs. */
export const firstCards = 12;

/** The minimum width and the height of a card, in pixels, as in the style sheet. */
export const cardPixels: Readonly<Record<CardSize, { readonly min: number; readonly height: number }>> = {
  small: { min: 240, height: 180 },
  medium: { min: 340, height: 240 },
  large: { min: 520, height: 360 },
};

/** The gap between cards and the height of a section heading, in pixels. */
const gap = 12;
const headHeight = 36;

/** The height of a row of this kind, with cards of this size. */
export function rowHeight(kind: CardRow['kind'], size: CardSize): number {
  if (kind === 'head') return headHeight;
  if (kind === 'wide') return cardHeight(size, true) + gap;
  return cardPixels[size].height + gap + (kind === 'shared' ? headHeight : 0);
}

/** The height of a card in pixels, as in the style sheet. */
export function cardHeight(size: CardSize, isWide: boolean): number {
  return cardPixels[isWide ? 'large' : size].height;
}

/** Sections with at most this many cards share a row with others, as in the style sheet. */
const maxShared = 3;

/**
 * How many cards fit side by side in this many pixels, like CSS with `repeat(auto-fill,
 * minmax(340px, 1fr))`.
 */
export function columnsIn(width: number, size: CardSize = 'medium'): number {
  return Math.max(1, Math.floor((width + gap) / (cardPixels[size].min + gap)));
}

/**
 * Group names are the parts of tags before a slash, or devices below `system/`, so none of them
 * starts with a slash.
 */
export const pinnedGroup = '/pinned';
export const panelsGroup = '/panels';

/** The scalar tags that pass the filter. `of`: only the tags of this tab. */
export function scalarTags(tags: readonly TagJson[], filter: string, of?: 'scalars' | 'system'): string[] {
  const { matches } = nameFilter(filter);
  const isOf = (tag: string): boolean => of === undefined || isSystemTag(tag) === (of === 'system');
  const scalars = tags.filter(({ data_class: dataClass, tag }) => dataClass === 'scalar' && matches(tag) && isOf(tag));
  return [...new Set(scalars.map(({ tag }) => tag))];
}

/** The panels of a tab. Panels that contain only machine measurements are on the System tab. */
export function panelsOf(panels: readonly Panel[], of?: 'scalars' | 'system'): readonly Panel[] {
  const isSystem = (panel: Panel): boolean => 'tags' in panel && panel.tags.every(isSystemTag);
  return of === undefined ? panels : panels.filter((panel) => isSystem(panel) === (of === 'system'));
}

/** The part of the view that determines the positions of cards. */
export type Sectioning = Folding & Pick<View, 'tagFilter' | 'pinned' | 'panels' | 'embed' | 'cardOrder' | 'wide'>;

/** The number of cards in a section, without those of nested sections. */
export function cardCount({ tags, panels }: Section): number {
  return panels?.length ?? tags.length;
}

/**
 * The sections of the page.
 *
 * Panels and pinned tags come first; pinned tags also appear in their groups. Then come groups with
 * results on validation data, groups with other results, and groups with anything else. Groups that
 * contain only schedules or machine measurements come last. They are folded while the page shows
 * all tags, unless the page is embedded.
 *
 * Tags in a group follow the same order, after moved tags. Large groups are divided by the next
 * parts of their tags, unless the page is embedded. If all tags are machine measurements, the
 * groups are devices.
 */
export function sectionsOf(tags: readonly string[], view: Sectioning): Section[] {
  const known = new Set(tags);
  const top = view.pinned.filter((tag) => known.has(tag));
  const sections = tags.every(isSystemTag) ? deviceSections(tags, view) : groupSections(tags, view);
  const first = (group: string, title: string, cards: Pick<Section, 'tags' | 'panels'>): Section => ({
    group,
    title,
    ...cards,
    depth: 0,
    total: cards.panels?.length ?? cards.tags.length,
    byDefault: false,
    folded: isFolded(view, group, false),
    inFolded: false,
  });
  return [
    ...(view.panels.length > 0 ? [first(panelsGroup, 'Panels', { tags: [], panels: view.panels })] : []),
    ...(top.length > 0 ? [first(pinnedGroup, 'Pinned', { tags: top })] : []),
    ...sections,
  ];
}

function groupSections(tags: readonly string[], view: Sectioning): Section[] {
  const ranks = new Map(tags.map((tag) => [tag, rankTag(tag)]));
  const rankOf = (tag: string): number => ranks.get(tag)!;
  const groups = groupTags(tags).map(({ name, tags: members }) => ({
    name,
    tags: members.toSorted((a, b) => rankOf(a) - rankOf(b)),
    rank: Math.min(...members.map(rankOf)),
  }));
  const sorted = groups.toSorted((a, b) => a.rank - b.rank);
  const isMinor = (rank: number): boolean => rank >= minorRank && view.tagFilter === '' && !view.embed && sorted[0]!.rank < minorRank;
  return sorted.flatMap(({ name, tags: members, rank }): Section[] => {
    const nodes = view.embed ? [{ path: name, depth: 0, tags: members, total: members.length }] : nestTags({ name, tags: members });
    let foldedDepth = Infinity; // depth of the folded section that contains the next sections
    return nodes.map(({ path, depth, tags: own, total }) => {
      const byDefault = depth === 0 && isMinor(rank);
      const folded = isFolded(view, path, byDefault);
      const inFolded = depth > foldedDepth;
      if (!inFolded) foldedDepth = folded ? depth : Infinity;
      return {
        group: path,
        title: path === '' ? 'General' : path,
        depth,
        tags: inChosenOrder(own, view.cardOrder),
        total,
        byDefault,
        folded,
        inFolded,
      };
    });
  });
}

function deviceSections(tags: readonly string[], view: Sectioning): Section[] {
  const devices = [...Map.groupBy(tags, deviceOf)].sort(([a], [b]) => deviceRank(a) - deviceRank(b) || naturally(a, b));
  return devices.map(([device, members]): Section => {
    const group = `system/${device}`;
    const title = systemName(members[0]!)?.device ?? (device === '' ? 'General' : device);
    const sorted = members.toSorted((a, b) => quantityRank(a) - quantityRank(b) || naturally(a, b));
    return {
      group,
      title,
      depth: 0,
      tags: inChosenOrder(sorted, view.cardOrder),
      total: sorted.length,
      byDefault: false,
      folded: isFolded(view, group, false),
      inFolded: false,
    };
  });
}

/** From this rank on, a tag says little about the training itself; see {@link rankTag}. */
const minorRank = 3;

/** The tags in the order of the page, each only once. */
export function tagOrder(tags: readonly string[], view: Sectioning): string[] {
  return [...new Set(sectionsOf(tags, view).flatMap(({ tags: members }) => members))];
}

/** The tags of a page's first cards. */
export function firstTags(tags: readonly TagJson[], view: Sectioning): string[] {
  const open = sectionsOf(scalarTags(tags, view.tagFilter, firstTab(view)), view).filter(({ folded, inFolded }) => !folded && !inFolded);
  return [...new Set(open.flatMap(({ tags: members }) => members).slice(0, firstCards))];
}

/** The tab with the first cards of a page. An embedded page shows the cards of all tabs. */
function firstTab({ embed }: Pick<View, 'embed'>): 'scalars' | undefined {
  return embed ? undefined : 'scalars';
}

/**
 * Approximate pixels of a wide window that are not available for cards: the run list beside them,
 * and everything above them.
 */
const aroundCards = { beside: 304, above: 140 } as const;

/** The tags of the cards in a window of this size before scrolling, approximately. */
export function tagsInView(tags: readonly TagJson[], view: Sectioning & Pick<View, 'cardSize'>, width: number, height: number): string[] {
  const { cardSize } = view;
  let left = height - aroundCards.above;
  const shown = scalarTags(tags, view.tagFilter, firstTab(view));
  const seen = cardRows(shown, view, columnsIn(width - aroundCards.beside, cardSize)).flatMap((row) => {
    const isSeen = left > 0;
    left -= rowHeight(row.kind, cardSize);
    return isSeen ? tagsOf(row) : [];
  });
  return [...new Set(seen)];
}

/** The tags of a row's cards. */
export function tagsOf(row: CardRow): readonly string[] {
  if (row.kind === 'head') return [];
  return row.kind === 'shared' ? row.sections.flatMap(({ tags }) => tags) : row.tags;
}

/** All rows of the page, with this number of columns. */
export function cardRows(tags: readonly string[], view: Sectioning, columns: number): CardRow[] {
  const widened = new Set(view.wide);
  const isWide = (key: string): boolean => widened.has(key);
  const rows: CardRow[] = [];
  let small: Section[] = [];
  let taken = 0;
  const flush = (): void => {
    if (small.length > 1) rows.push({ kind: 'shared', key: `${small[0]!.group}//`, sections: small });
    else for (const section of small) rows.push(...rowsOf(section, columns, isWide));
    small = [];
    taken = 0;
  };
  for (const section of sectionsOf(tags, view)) {
    if (section.inFolded) continue;
    const count = cardCount(section);
    const hasWide = section.tags.some(isWide) || section.panels?.some((panel) => isWide(panelText(panel))) === true;
    const isWhole = count === section.total;
    const isSmall = isWhole && !section.folded && !hasWide && count <= Math.min(maxShared, columns);
    if (!isSmall || taken + count > columns || small[0]?.depth !== section.depth) flush();
    if (isSmall) {
      small.push(section);
      taken += count;
    } else rows.push(...rowsOf(section, columns, isWide));
  }
  flush();
  return rows;
}

function rowsOf(section: Section, columns: number, isWide: (key: string) => boolean): CardRow[] {
  const { group, tags, panels = [], folded } = section;
  const head: CardRow = { kind: 'head', key: `${group}/`, section };
  if (folded) return [head];
  const lines = linesOf(tags, columns, isWide).map(({ kind, list }): CardRow => ({ kind, key: `${group}/${list[0]!}`, group, tags: list }));
  const more = linesOf(panels, columns, (panel) => isWide(panelText(panel))).map(({ kind, list }): CardRow => ({
    kind,
    key: `${group}/${panelText(list[0]!)}`,
    group,
    tags: [],
    panels: list,
  }));
  return [head, ...lines, ...more];
}

/** Cards side by side, or one wide card. */
interface Line<T> {
  readonly kind: 'cards' | 'wide';
  readonly list: T[];
}

/** Rows of at most `columns` cards each. A wide card has its own row. */
function linesOf<T>(list: readonly T[], columns: number, isWide: (one: T) => boolean): Line<T>[] {
  const lines: Line<T>[] = [];
  for (const one of list) {
    const last = lines.at(-1);
    if (isWide(one)) lines.push({ kind: 'wide', list: [one] });
    else if (last?.kind === 'cards' && last.list.length < columns) last.list.push(one);
    else lines.push({ kind: 'cards', list: [one] });
  }
  return lines;
}
