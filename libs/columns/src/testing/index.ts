import { packRange } from '../pack-range.ts';
import { RangeItems } from '../range-items.ts';

/** The items of a range, even if encoding it as a block is not worthwhile. */
export function itemsOf(range: Uint8Array): RangeItems {
  return new RangeItems(packRange(range));
}
