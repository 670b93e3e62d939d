import type { FileBatch } from '#model';
import type { StoredItems } from '#originals';
import { isEvent, type PointCollector } from '#points';
import { RecordReader } from '#records';
import { ItemParser } from './item-parser.ts';
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

/** Called with every record before it is parsed, so that a failure can be attributed to it. */
export type RecordWitness = (offset: number) => void;

/** Limits of a range. At least one record is read, if one is complete. */
export interface ParseBounds {
  readonly maxBytes: number;
  /** Records at these offsets are skipped: storing them failed before (`quarantined`). */
  readonly quarantined: ReadonlySet<number>;
  /** All earlier records were read although their data checksums are wrong. */
  readonly isUnverified: boolean;
}

/** Maximum expanded bytes per transaction; its last event may exceed it. */
const maxPendingBytes = 64 * 1024 * 1024;

/** Length, its checksum and the data checksum around a record's data. */
const framingBytes = 16;

/**
 * Parses the bytes of a file from `from` (the end of its last complete record) until they end or
 * `maxBytes` are parsed. `bytes` yields consecutive pieces that start at `from`; the collector may
 * keep views of them. Only records without a template become bytes in blocks of columns.
 */
export async function parseRange(
  from: number,
  bytes: AsyncIterable<Uint8Array | StoredItems>,
  collector: PointCollector,
  bounds: ParseBounds,
  witness: RecordWitness,
): Promise<ParsedRange> {
  const reader = new RecordReader({ offset: from, unverified: bounds.isUnverified, isEvent });
  let readTo = from;
  let quarantinedBytes = 0;
  let full = false;
  let headCrc32c: number | null = null;
  /** Whether the record at `offset` may be read. */
  const admits = (offset: number, dataBytes: number): boolean => {
    if (!bounds.quarantined.has(offset)) {
      witness(offset);
      return true;
    }
    quarantinedBytes += dataBytes + framingBytes;
    return false;
  };
  const isFull = (offset: number, dataBytes: number): boolean =>
    // A small record can expand to a large value: a single repeated element fills its whole shape.
    (full = dataBytes + offset - from >= bounds.maxBytes || collector.pendingBytes >= maxPendingBytes);
  const isHead = (): boolean => from === 0 && headCrc32c === null;
  const visit = (buffer: Uint8Array, start: number, end: number, offset: number): boolean => {
    if (admits(offset, end - start)) {
      if (isHead()) headCrc32c = headOf(buffer.subarray(start, end)).crc;
      collector.event(buffer, start, end, offset);
    }
    return isFull(offset, end - start);
  };
  const items = new ItemParser({ reader, collector, needsBytes: isHead, visit, admits, isFull });
  for await (const piece of bytes) {
    readTo += 'items' in piece ? items.read(piece) : reader.push(piece, visit);
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
