import { packRange } from '../pack-range.ts';
import { RangeItems } from '../range-items.ts';

/** The items of a range, even if a block of it is not worthwhile. */
export function itemsOf(range: Uint8Array): RangeItems {
  return new RangeItems(packRange(range));
}
