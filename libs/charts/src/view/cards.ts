import { type Fields, names, oneOf } from './field.ts';

/** The sizes of chart cards. */
export const cardSizes = ['medium', 'small', 'large'] as const;
export type CardSize = (typeof cardSizes)[number];

/**
 * The order of the tooltip's rows, in TensorBoard's terms: nearest line first, by value, or by
 * name.
 */
export const tooltipSorts = ['nearest', 'descending', 'ascending', 'alphabetical'] as const;
export type TooltipSort = (typeof tooltipSorts)[number];

/** Chart cards, and their tooltips. */
export interface CardsView {
  readonly tooltipSort: TooltipSort;
  readonly cardSize: CardSize;
  /** Tags whose cards were moved. They come first in their sections, in this order. */
  readonly cardOrder: readonly string[];
  /** Cards that are as wide as the page: tags, or the text forms of panels. */
  readonly wide: readonly string[];
}

export const cardsFields: Fields<CardsView> = {
  tooltipSort: oneOf('tooltipSort', tooltipSorts),
  cardSize: oneOf('cardSize', cardSizes),
  cardOrder: names('order'),
  wide: names('wide'),
};
