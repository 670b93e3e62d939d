import { packRange } from '../pack-range.ts';
import { RangeItems } from '../range-items.ts';

/** The items of a range, whether or not a block of it is worthwhile. */
export function itemsOf(range: Uint8Array): RangeItems {
  return new RangeItems(packRange(range));
}
