import { sql } from 'kysely';
import type { ExperimentId, FileId, RunName, View } from '#model';
import { andFileInView } from './view-sql.ts';
import type { TenantScope } from '../../scope.ts';

/** One version of an event file: the received bytes, and how many of them have been read. */
export interface ExperimentFile {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  /** The durable prefix. */
  readonly bytes: number;
  /** CRC-32C over it. */
  readonly crc32c: number;
  readonly complete: boolean;
  /** Set for a complete file once the checksum is known. */
  readonly sha256: Buffer | null;
  /**
   * False if the file's first bytes were removed on purpose, so that the file cannot be returned.
   */
  readonly originalKept: boolean;
  /**
   * The length of the prefix that is kept without deleted points, at its original size. 0 means
   * that all kept bytes are as received.
   */
  readonly rewrittenBytes: number;
  /** CRC-32C of the rewritten bytes, as kept and as received. */
  readonly rewrittenCrc32c: number;
  readonly receivedCrc32c: number | null;
  readonly records: number;
  /** The number of leading records that were read despite wrong data checksums. */
  readonly unverifiedRecords: number;
  readonly rejectedBytes: number;
  /** Bytes that were read but belong to an incomplete last record. */
  readonly incompleteBytes: number;
  /** End of the last complete record. */
  readonly parsedOffset: number;
  /** Damage ended the file. */
  readonly ended: boolean;
  /**
   * The file in the same run whose first bytes equal this file. Null if this file is not a copy and
   * its points are stored.
   */
  readonly copyOf: FileId | null;
  /**
   * Whether a newer version of the file has readable events. If so, all points of this version are
   * superseded.
   */
  readonly replaced: boolean;
}

/**
 * A page of the experiment's files that `view` shows, in the order of announcement. Null if the
 * experiment has no file with the id `after`.
 */
export async function listFiles(
  scope: TenantScope,
  experimentId: ExperimentId,
  limit: number,
  after: FileId | null,
  view: View | null,
): Promise<ExperimentFile[] | null> {
  const { trx, tenantId } = scope;
  let beyond = sql`true`;
  if (after !== null) {
    const announced = await readAnnouncement(scope, experimentId, after);
    if (announced === null) return null;
    beyond = sql`(f.created_at, f.file_id) > (${announced}::timestamptz, ${after}::int8)`;
  }
  const { rows } = await sql<Row>`
    /* list-files-read-event-file */
    select f.file_id, r.name as run, f.name, f.version, f.durable_offset, f.crc32c, f.completed_bytes, f.sha256, f.dropped_bytes,
      f.rewritten_bytes, f.rewritten_crc32c, f.received_crc32c,
      p.records, p.unverified_records, p.rejected_bytes, p.parsed_offset, p.ended, p.copy_of, p.replaced, w.settled
    from event_file f
    join run r on r.tenant_id = ${tenantId} and r.run_id = f.run_id
    left join file_progress p on p.tenant_id = ${tenantId} and p.file_id = f.file_id
    left join lateral (
      select min(s."offset") as settled from pending_segment s
      where s.tenant_id = ${tenantId} and s.experiment_id = ${experimentId} and s.run_id = f.run_id and s.file_id = f.file_id
    ) w on true
    where f.tenant_id = ${tenantId} and f.experiment_id = ${experimentId} and r.deleted_at is null ${andFileInView(view)} and ${beyond}
    order by f.created_at, f.file_id
    limit ${limit}`.execute(trx);
  return rows.map(toFile);
}

/** When a file was announced, with all digits. Null if the experiment has no such file. */
export async function readAnnouncement({ trx, tenantId }: TenantScope, experimentId: ExperimentId, fileId: string): Promise<string | null> {
  const { rows } = await sql<{ created_at: string }>`
    /* read-announcement */
    select f.created_at::text as created_at from event_file f
    where f.tenant_id = ${tenantId} and f.experiment_id = ${experimentId} and f.file_id = ${fileId}`.execute(trx);
  return rows[0]?.created_at ?? null;
}

interface Row {
  file_id: FileId;
  run: RunName;
  name: string;
  version: number;
  durable_offset: string;
  crc32c: string;
  completed_bytes: string | null;
  sha256: Buffer | null;
  dropped_bytes: string;
  rewritten_bytes: string;
  rewritten_crc32c: string | null;
  received_crc32c: string | null;
  records: string | null;
  unverified_records: string | null;
  rejected_bytes: string | null;
  parsed_offset: string | null;
  ended: boolean | null;
  copy_of: FileId | null;
  replaced: boolean | null;
  settled: string | null;
}

function toFile(row: Row): ExperimentFile {
  const bytes = Number(row.durable_offset);
  const parsedOffset = Number(row.parsed_offset ?? 0);
  const ended = row.ended === true;
  return {
    fileId: row.file_id,
    run: row.run,
    name: row.name,
    version: row.version,
    bytes,
    crc32c: Number(row.crc32c),
    complete: row.completed_bytes !== null,
    sha256: row.completed_bytes === null ? null : row.sha256,
    originalKept: row.dropped_bytes === '0',
    rewrittenBytes: Number(row.rewritten_bytes),
    rewrittenCrc32c: Number(row.rewritten_crc32c ?? 0),
    receivedCrc32c: row.received_crc32c === null ? null : Number(row.received_crc32c),
    records: Number(row.records ?? 0),
    unverifiedRecords: Number(row.unverified_records ?? 0),
    rejectedBytes: Number(row.rejected_bytes ?? 0),
    incompleteBytes: ended ? 0 : Math.max(0, Number(row.settled ?? bytes) - parsedOffset),
    parsedOffset,
    ended,
    copyOf: row.copy_of,
    replaced: row.replaced === true,
  };
}
