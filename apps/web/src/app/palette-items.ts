import type { Reader } from './page-data.ts';
import { type Place, placesOf } from './places.ts';

/** An action or a destination. */
export interface PaletteItem {
  readonly name: string;
  readonly kind: string;
  /** The destination. Absent if the page handles the item. */
  readonly place?: Place;
}

/** Maximum displayed rows. */
const maxItems = 50;

/**
 * The items whose name or kind contains all typed words. Names that start with the typed text come
 * first.
 */
export function matchingItems<Item extends PaletteItem>(items: readonly Item[], typed: string): Item[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const matching = items.filter(({ name, kind }) => words.every((word) => `${kind} ${name}`.toLowerCase().includes(word)));
  const begins = ({ name }: PaletteItem): number => Number(!name.toLowerCase().startsWith(typed.toLowerCase().trim()));
  return matching.toSorted((a, b) => begins(a) - begins(b)).slice(0, maxItems);
}

/** The pages that the reader can open. */
export function placeItems(reader: Reader | null): PaletteItem[] {
  return placesOf(reader).map((place) => ({ name: place.name, kind: 'go to', place }));
}
