import type { FileBatch } from '#model';
import { isEvent, type PointCollector } from '#points';
import { RecordReader } from '#records';
import { headOf } from './learn-writers.ts';

/** The range that one transaction reads of one file. */
export interface ParsedRange {
  readonly batch: FileBatch;
  /** End of the last complete record that was read: reading resumes there. */
  readonly parsedOffset: number;
  /** Records that were read although their data checksum is wrong. */
  readonly unverified: number;
  readonly needsOffset: number;
  /** End of the bytes that were read; segments up to here are settled. */
  readonly readTo: number;
  readonly rejectedBytes: number;
  readonly ended: boolean;
  /** CRC-32C of the first record that was read; null if there is none. */
  readonly headCrc32c: number | null;
}

/** Called with every record before it is parsed, so that a failure can be traced to it. */
export type RecordWitness = (offset: number) => void;

/** Limits of a range. At least one record is read, if one is complete. */
export interface ParseBounds {
  readonly maxBytes: number;
  /** Records at these offsets are skipped: storing them failed before (`quarantined`). */
  readonly quarantined: ReadonlySet<number>;
  /** All earlier records were read although their data checksums are wrong. */
  readonly isUnverified: boolean;
}

/** Maximum expanded bytes that a transaction may hold (plus those of one event). */
const maxPendingBytes = 64 * 1024 * 1024;

/** Length, its checksum and the data checksum around a record's data. */
const framingBytes = 16;

/**
 * Parses the bytes of a file from `from` (the end of its last complete record) until they end or
 * `maxBytes` are parsed. `bytes` yields consecutive pieces that start at `from`; what the collector
 * keeps may point into them.
 */
export async function parseRange(
  from: number,
  bytes: AsyncIterable<Uint8Array>,
  collector: PointCollector,
  bounds: ParseBounds,
  witness: RecordWitness,
): Promise<ParsedRange> {
  const reader = new RecordReader({ offset: from, unverified: bounds.isUnverified, isEvent });
  let readTo = from;
  let quarantinedBytes = 0;
  let full = false;
  let headCrc32c: number | null = null;
  for await (const piece of bytes) {
    const taken = reader.push(piece, (buffer, start, end, offset) => {
      if (bounds.quarantined.has(offset)) {
        quarantinedBytes += end - start + framingBytes;
      } else {
        witness(offset);
        if (from === 0 && headCrc32c === null) headCrc32c = headOf(buffer.subarray(start, end)).crc;
        collector.event(buffer, start, end, offset);
      }
      // A small record can expand to much: a single repeated element fills its whole shape.
      full = end - start + offset - from >= bounds.maxBytes || collector.pendingBytes >= maxPendingBytes;
      return full;
    });
    readTo += taken;
    // A record that fills the batch may be the last of its piece: segments of live runs usually end
    // with one.
    if (full || reader.ended) break;
  }
  const ended = reader.ended !== null;
  const batch = collector.take({ records: reader.records, problems: reader.takeProblems() });
  const skippedBytes = batch.problems.reduce((sum, problem) => sum + (problem.endsFile ? 0 : problem.bytes), 0);
  return {
    batch,
    parsedOffset: reader.offset,
    unverified: reader.unverified,
    needsOffset: reader.needsOffset,
    readTo,
    rejectedBytes: skippedBytes + quarantinedBytes + (ended ? readTo - reader.offset : 0),
    ended,
    headCrc32c,
  };
}
