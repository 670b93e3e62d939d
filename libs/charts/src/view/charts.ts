import type { Extent } from '../extent.ts';
import { type Panel, panelAddress, readPanels } from '../panel.ts';
import { type Fields, flag, nameOrNull, names, readNumber, repeated } from './field.ts';

/** The y range of a tag's chart. */
export interface YRange extends Extent {
  readonly tag: string;
}

/** The charts, and the visible parts of their axes. */
export interface ChartsView {
  /** The tag that is shown alone. */
  readonly card: string | null;
  /** Other tags in the same chart. */
  readonly also: readonly string[];
  /** Whether superseded points are also drawn. */
  readonly superseded: boolean;
  /** Whether a table of the visible part is shown below the chart that is shown alone. */
  readonly table: boolean;
  /** The range of the x axis in all charts, in its unit; null for the whole axis. */
  readonly range: { readonly from: number; readonly to: number } | null;
  /** Charts whose y range was selected manually; the others show the whole axis. */
  readonly yRanges: readonly YRange[];
  /** Charts with several tags, above the others. */
  readonly panels: readonly Panel[];
  /** Collapsed groups of tags; `/all` means all of them. */
  readonly folded: readonly string[];
  /** Groups that start collapsed and were expanded; `/all` means all of them. */
  readonly unfolded: readonly string[];
}

export const chartsFields: Fields<ChartsView> = {
  card: nameOrNull('card'),
  also: names('with'),
  superseded: flag('superseded'),
  table: flag('table'),
  range: {
    plain: null,
    read: (parameters) => {
      const from = readNumber(parameters.get('from'));
      const to = readNumber(parameters.get('to'));
      return from !== null && to !== null && from < to ? { from, to } : null;
    },
    write: (range, parameters) => {
      if (!range) return;
      parameters.append('from', String(range.from));
      parameters.append('to', String(range.to));
    },
  },
  yRanges: repeated('y', readYRanges, ({ tag, min, max }) => `${min}..${max}:${tag}`),
  panels: repeated('panel', readPanels, panelAddress),
  folded: names('fold'),
  unfolded: names('unfold'),
};

/**
 * Parses y ranges in a URL: `0.1..0.5:TAG`, where the tag can contain anything; if there are
 * several for one tag, uses the first.
 */
export function readYRanges(texts: readonly string[]): readonly YRange[] {
  const ranges = new Map<string, YRange>();
  for (const text of texts) {
    const [dots, colon] = [text.indexOf('..'), text.indexOf(':')];
    if (dots < 0 || colon < dots + 2) continue;
    const [min, max] = [readNumber(text.slice(0, dots)), readNumber(text.slice(dots + 2, colon))];
    const tag = text.slice(colon + 1);
    if (min !== null && max !== null && min < max && !ranges.has(tag)) ranges.set(tag, { tag, min, max });
  }
  return [...ranges.values()];
}

/** Resets the range of both axes in every chart. */
export const unzoomed: Pick<ChartsView, 'range' | 'yRanges'> = { range: null, yRanges: chartsFields.yRanges.plain };

/** Whether any chart shows only a part of an axis. */
export function isZoomed({ range, yRanges }: Pick<ChartsView, 'range' | 'yRanges'>): boolean {
  return range !== null || yRanges.length > 0;
}

/** The selected y range of a tag's chart; null if there is none. */
export function yRangeOf({ yRanges }: Pick<ChartsView, 'yRanges'>, tag: string): Extent | null {
  return yRanges.find((one) => one.tag === tag) ?? null;
}
