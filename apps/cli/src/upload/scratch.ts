/** Largest body of one request; half the server's bound on a segment. */
export const maxSegmentBytes = 8 * 1024 * 1024;
const smallestBytes = 64 * 1024;

/** The one buffer of a lane, used again for every range: it grows to what is needed and never beyond {@link maxSegmentBytes}. */
export class Scratch {
  #buffer = new Uint8Array(0);

  /** `bytes` bytes (at most {@link maxSegmentBytes}); what was taken before is given back by this. */
  take(bytes: number): Uint8Array {
    const wanted = Math.min(bytes, maxSegmentBytes);
    if (this.#buffer.length < wanted) {
      const powerOfTwo = 2 ** Math.ceil(Math.log2(Math.max(wanted, smallestBytes)));
      this.#buffer = Buffer.allocUnsafeSlow(powerOfTwo);
    }
    return this.#buffer.subarray(0, wanted);
  }
}
