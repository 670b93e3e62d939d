import type { FileBatch } from '#model';
import type { StoredItems } from '#originals';
import { isEvent, type PointCollector } from '#points';
import { RecordReader } from '#records';
import { ItemParser } from './item-parser.ts';
import { headOf } from './learn-writers.ts';

/** The data that one transaction reads from one file. */
export interface ParsedRange {
  readonly batch: FileBatch;
  /** End of the last complete record that was read. The next transaction resumes reading there. */
  readonly parsedOffset: number;
  /** Number of records that were read despite a wrong data checksum. */
  readonly unverified: number;
  readonly needsOffset: number;
  /** End of the bytes that were read. Segments that end here or earlier are settled. */
  readonly readTo: number;
  readonly rejectedBytes: number;
  readonly ended: boolean;
  /** CRC-32C of the first record that was read; null if none was read. */
  readonly headCrc32c: number | null;
}

/**
 * Called with every record before it is parsed, so that a failure can be attributed to a record.
 */
export type RecordWitness = (offset: number) => void;

/** Limits of a range. If any record is complete, at least one record is read. */
export interface ParseBounds {
  readonly maxBytes: number;
  /** Records at these offsets are skipped, because storing them failed before (`quarantined`). */
  readonly quarantined: ReadonlySet<number>;
  /** Whether all earlier records were read despite wrong data checksums. */
  readonly isUnverified: boolean;
}

/** Maximum expanded bytes per transaction; its last event may exceed it. */
const maxPendingBytes = 64 * 1024 * 1024;

/**
 * Size of what surrounds a record's data: its length, the checksum of the length, and the data
 * checksum.
 */
const framingBytes = 16;

/**
 * Parses a file from `from`, the end of its last complete record, until the bytes end or `maxBytes`
 * are parsed. `bytes` yields consecutive pieces that start at `from`; the collector may keep views
 * of them. In blocks of columns, only records without a template become bytes.
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
    // A small record can expand to a large value: a single repeated element fills the value's whole
    // shape.
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
    // A record that fills the batch may be the last one in its piece, because segments of live runs
    // usually end with a record.
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
