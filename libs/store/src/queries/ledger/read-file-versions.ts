import { sql } from 'kysely';
import type { FileId, RunId } from '#model';
import { nameHash } from '../points/run-series.ts';
import type { TenantScope } from '../../scope.ts';

/** The durable part of one version of an event file. */
export interface FileVersion {
  readonly fileId: FileId;
  readonly version: number;
  /** End of the contiguous prefix, in bytes. */
  readonly durableOffset: number;
  /** CRC-32C over that prefix. */
  readonly crc32c: number;
}

/** All versions of the run's file with this name, newest first. */
export async function readFileVersions({ trx, tenantId }: TenantScope, runId: RunId, name: string): Promise<FileVersion[]> {
  const { rows } = await sql<{ file_id: FileId; version: number; durable_offset: string; crc32c: string }>`
    /* read-file-versions */
    select file_id, version, durable_offset, crc32c from event_file
    where tenant_id = ${tenantId} and run_id = ${runId} and name_hash = ${nameHash(name)}
    order by version desc`.execute(trx);
  return rows.map((row) => ({
    fileId: row.file_id,
    version: row.version,
    durableOffset: Number(row.durable_offset),
    crc32c: Number(row.crc32c),
  }));
}
