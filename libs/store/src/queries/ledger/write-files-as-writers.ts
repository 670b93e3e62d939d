import { sql } from 'kysely';
import type { FileId } from '#model';
import type { IngestScope } from '../../scope.ts';

/** A file's properties as a writer of its run; see `RunFile`. */
export interface FileAsWriter {
  readonly firstWallTime: number | null;
  readonly lastWallTime: number | null;
  readonly headCrc32c: number | null;
  readonly copyOf: FileId | null;
  readonly replaced: boolean;
}

/** Writes files' properties as writers. */
export async function writeFilesAsWriters(
  { trx, tenantId }: IngestScope,
  files: readonly (FileAsWriter & { readonly fileId: FileId })[],
): Promise<void> {
  const column = <T>(pick: (file: FileAsWriter & { readonly fileId: FileId }) => T): T[] => files.map(pick);
  await sql`/* prepared: write-files-as-writers */ update file_progress p set
      first_wall_time = u.first_wall_time, last_wall_time = u.last_wall_time, head_crc32c = u.head_crc32c, copy_of = u.copy_of, replaced = u.replaced
    from unnest(
      ${column((f) => f.fileId)}::bigint[], ${column((f) => f.firstWallTime)}::float8[], ${column((f) => f.lastWallTime)}::float8[],
      ${column((f) => f.headCrc32c)}::bigint[], ${column((f) => f.copyOf)}::bigint[], ${column((f) => f.replaced)}::boolean[]
    ) as u(file_id, first_wall_time, last_wall_time, head_crc32c, copy_of, replaced)
    where p.tenant_id = ${tenantId} and p.file_id = u.file_id`.execute(trx);
}

/** Records where a file's stored points start if the file is no longer a copy. */
export async function writeCountsFrom({ trx, tenantId }: IngestScope, fileId: FileId, bytes: number): Promise<void> {
  await sql`/* write-counts-from */
    update file_progress set counts_from = ${bytes} where tenant_id = ${tenantId} and file_id = ${fileId}`.execute(trx);
}
