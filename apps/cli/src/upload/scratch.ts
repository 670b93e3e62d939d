/** Largest body of one request; half the server's bound on a segment. */
export const maxSegmentBytes = 8 * 1024 * 1024;
/** Total buffer memory of all lanes. */
const maxTotalBytes = 64 * 1024 * 1024;
const smallestBytes = 64 * 1024;

/**
 * The largest range of one lane if `lanes` share the memory: more connections mean smaller ranges.
 * A power of two.
 */
export function segmentBytesFor(lanes: number): number {
  return Math.min(maxSegmentBytes, 2 ** Math.floor(Math.log2(maxTotalBytes / lanes)));
}

/**
 * The single buffer of a lane, reused for every range: it grows as needed but never beyond
 * `maxBytes`.
 */
export class Scratch {
  readonly #maxBytes: number;
  #buffer = new Uint8Array(0);

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** `bytes` bytes, or the maximum; invalidates earlier results. */
  take(bytes: number): Uint8Array {
    const wanted = Math.min(bytes, this.#maxBytes);
    if (this.#buffer.length < wanted) {
      const powerOfTwo = 2 ** Math.ceil(Math.log2(Math.max(wanted, smallestBytes)));
      this.#buffer = Buffer.allocUnsafeSlow(Math.min(powerOfTwo, this.#maxBytes));
    }
    return this.#buffer.subarray(0, wanted);
  }
}
