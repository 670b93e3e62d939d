import { sql } from 'kysely';
import type { ExperimentId, FileId, RunId } from '#model';
import { quarantinedReason } from './quarantine-record.ts';
import type { AnyScope } from '../../scope.ts';

/**
 * A run's file, with its ingest progress and its first pending segments (ordered by offset,
 * contiguous with the durable prefix).
 */
export interface RunFile {
  readonly fileId: FileId;
  readonly name: string;
  readonly version: number;
  readonly parsedOffset: number;
  readonly needsOffset: number;
  readonly ended: boolean;
  /** The number of leading records that were read despite wrong data checksums. */
  readonly unverifiedRecords: number;
  /** Whether all records read so far are unverified. */
  readonly isUnverified: boolean;
  /** The length of the durable prefix, and its CRC-32C. */
  readonly durableOffset: number;
  readonly crc32c: number;
  /** Whether the sender has declared the file complete. */
  readonly complete: boolean;
  /**
   * The object that contains the joined first bytes of the file, and the number of first bytes that
   * are no longer kept.
   */
  readonly originalKey: string | null;
  readonly droppedBytes: number;
  /**
   * Where the file's points start. If not 0, the file was a copy of another file, and its earlier
   * bytes have no points of their own. 0 means that all its points are stored.
   */
  readonly countsFrom: number;
  /**
   * Smallest and largest finite wall times of the events read, in seconds. Null if unknown or if
   * there are none.
   */
  readonly firstWallTime: number | null;
  readonly lastWallTime: number | null;
  /**
   * CRC-32C of the first record. Null if unknown or if no record was read; negative if it can never
   * be known.
   */
  readonly headCrc32c: number | null;
  /**
   * The file in the same run whose first bytes equal this file. Null if this file is not a copy.
   */
  readonly copyOf: FileId | null;
  /** Whether a newer version of the file has readable events. */
  readonly replaced: boolean;
  /**
   * Offsets of the records that are skipped because they could not be stored after several
   * attempts.
   */
  readonly quarantined: ReadonlySet<number>;
  readonly pending: readonly { readonly offset: number; readonly length: number }[];
  /** Whether more segments may be pending after the listed segments. */
  readonly more: boolean;
}

/**
 * Limit per file. Every transaction reads the list again, so without a limit, the work for a long
 * backlog of small segments would grow quadratically. One transaction rarely parses more segments
 * than this.
 */
const maxPendingPerFile = 4_096;

/** All files of the run, in no particular order (the caller sorts them by log order). */
export async function readRunFiles(
  { trx, tenantId }: AnyScope,
  experimentId: ExperimentId,
  runId: RunId,
  maxPending: number = maxPendingPerFile,
): Promise<RunFile[]> {
  const { rows } = await sql<Row>`
    /* prepared: read-run-files */ select f.file_id, f.name, f.version, g.parsed_offset, g.needs_offset, g.ended, g.records, g.unverified_records, f.durable_offset, f.crc32c,
      coalesce(f.completed_bytes = f.durable_offset, false) as complete, f.original_key, f.dropped_bytes, g.counts_from,
      g.first_wall_time, g.last_wall_time, g.head_crc32c, g.copy_of, g.replaced, s.offsets, s.lengths,
      (select array_agg(p."offset"::text) from file_problem p
        where p.tenant_id = ${tenantId} and p.file_id = f.file_id and p.reason = ${quarantinedReason}) as quarantined
    from event_file f
    join file_progress g on g.tenant_id = ${tenantId} and g.file_id = f.file_id,
    lateral (
      select array_agg(q."offset"::text order by q."offset") as offsets, array_agg(q.length order by q."offset") as lengths
      from (
        select p."offset", p.length from pending_segment p
        where p.tenant_id = ${tenantId} and p.experiment_id = ${experimentId} and p.run_id = ${runId} and p.file_id = f.file_id
        order by p."offset" limit ${maxPending}
      ) q
    ) s
    where f.tenant_id = ${tenantId} and f.run_id = ${runId}`.execute(trx);
  return rows.map((row) => ({
    fileId: row.file_id,
    name: row.name,
    version: row.version,
    parsedOffset: Number(row.parsed_offset),
    needsOffset: Number(row.needs_offset),
    ended: row.ended,
    unverifiedRecords: Number(row.unverified_records),
    isUnverified: row.unverified_records !== '0' && row.unverified_records === row.records,
    durableOffset: Number(row.durable_offset),
    crc32c: Number(row.crc32c),
    complete: row.complete,
    originalKey: row.original_key,
    droppedBytes: Number(row.dropped_bytes),
    countsFrom: Number(row.counts_from),
    firstWallTime: row.first_wall_time,
    lastWallTime: row.last_wall_time,
    headCrc32c: row.head_crc32c === null ? null : Number(row.head_crc32c),
    copyOf: row.copy_of,
    replaced: row.replaced,
    quarantined: new Set((row.quarantined ?? []).map(Number)),
    pending: (row.offsets ?? []).map((offset, i) => ({ offset: Number(offset), length: row.lengths![i]! })),
    more: row.offsets?.length === maxPending,
  }));
}

interface Row {
  file_id: FileId;
  name: string;
  version: number;
  parsed_offset: string;
  needs_offset: string;
  ended: boolean;
  records: string;
  unverified_records: string;
  durable_offset: string;
  crc32c: string;
  complete: boolean;
  original_key: string | null;
  dropped_bytes: string;
  counts_from: string;
  first_wall_time: number | null;
  last_wall_time: number | null;
  head_crc32c: string | null;
  copy_of: FileId | null;
  replaced: boolean;
  quarantined: string[] | null;
  offsets: string[] | null;
  lengths: number[] | null;
}
