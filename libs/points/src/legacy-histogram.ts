import { malformed } from './rejection.ts';
import { type Wire, wireType } from './wire.ts';

/**
 * HistogramProto{1 min; 2 max; 6 repeated bucket_limit; 7 repeated bucket}, all doubles; a limit is
 * its bucket's right edge.
 */
export class LegacyHistogram {
  #min = 0;
  #max = 0;
  readonly #limits: number[] = [];
  readonly #counts: number[] = [];

  /** Throws a `Refusal` if `wire` up to `end` is not a well-formed HistogramProto. */
  constructor(wire: Wire, start: number, end: number) {
    wire.pos = start;
    while (wire.pos < end) {
      const key = wire.key(end);
      if (key === 0x09) this.#min = wire.view.getFloat64(wire.fixed(8, end), true);
      else if (key === 0x11) this.#max = wire.view.getFloat64(wire.fixed(8, end), true);
      else if (key >>> 3 === 6) readDoubles(wire, key, end, this.#limits);
      else if (key >>> 3 === 7) readDoubles(wire, key, end, this.#counts);
      else wire.skip(key, end);
    }
  }

  /**
   * Rows of (left edge, right edge, count) as TensorBoard's Python reader builds them, but in
   * float64 (data rule 6). Empty buckets at both ends are dropped, and the outer edges are min and
   * max. No rows if no count is above 0. Null if there are fewer edges than the rows need.
   */
  rows(): Float64Array<ArrayBuffer> | null {
    const counts = this.#counts;
    const first = counts.findIndex((count) => count > 0);
    if (first < 0) return new Float64Array(0);
    const last = counts.findLastIndex((count) => count > 0);
    if (this.#limits.length < last) return null;
    const rows = new Float64Array(3 * (last - first + 1));
    for (let bucket = first; bucket <= last; bucket++) {
      const row = 3 * (bucket - first);
      rows[row] = bucket === first ? this.#min : this.#limits[bucket - 1]!;
      rows[row + 1] = bucket === last ? this.#max : this.#limits[bucket]!;
      rows[row + 2] = counts[bucket]!;
    }
    return rows;
  }
}

function readDoubles(wire: Wire, key: number, end: number, into: number[]): void {
  if ((key & 7) === wireType.fixed64) into.push(wire.view.getFloat64(wire.fixed(8, end), true));
  else if ((key & 7) === wireType.bytes) {
    const last = wire.lengthEnd(end);
    if ((last - wire.pos) % 8 !== 0) throw malformed;
    while (wire.pos < last) into.push(wire.view.getFloat64(wire.fixed(8, last), true));
  } else wire.skip(key, end);
}
