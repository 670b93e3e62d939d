import { createHash } from 'node:crypto';
import type { SeriesDigest } from './series-digest.ts';

/** The content that a digest covers. */
export interface DigestedContent {
  /** 64 hexadecimal digits. */
  readonly digest: string;
  readonly series: number;
  readonly scalars: number;
  readonly tensors: number;
  readonly blobSequences: number;
}

/** The first line of the canonical form. The number changes when the form changes. */
const head = 'plotline-content 1\n';
const counted = { scalar: 'scalars', tensor: 'tensors', blob_sequence: 'blobSequences' } as const;

/**
 * SHA-256 over the digests of all series. The order in which series are added does not matter:
 * their lines are sorted by bytes. A line takes about 200 bytes of memory.
 */
export class ContentDigest {
  readonly #lines: Buffer[] = [];
  readonly #counts = { scalars: 0, tensors: 0, blobSequences: 0 };

  /**
   * Adds a series, with all its values. A series without effective values does not count as
   * content.
   */
  add(series: SeriesDigest): void {
    if (series.values === 0) return;
    const { run, tag, dataClass, values } = series;
    this.#lines.push(Buffer.from(`${JSON.stringify([run, tag, dataClass, values, series.finish()])}\n`));
    this.#counts[counted[dataClass]] += values;
  }

  finish(): DigestedContent {
    const hash = createHash('sha256').update(head);
    for (const line of this.#lines.sort((a, b) => a.compare(b))) hash.update(line);
    return { digest: hash.digest('hex'), series: this.#lines.length, ...this.#counts };
  }
}
