import { sql } from 'kysely';
import type { FileId } from '#model';
import type { AnyScope } from '../../scope.ts';

/** Which of these files have a lost range. */
export async function listLostFiles({ trx, tenantId }: AnyScope, fileIds: readonly FileId[]): Promise<Set<FileId>> {
  if (fileIds.length === 0) return new Set();
  const { rows } = await sql<{ file_id: FileId }>`
    /* list-lost-files */
    select distinct l.file_id from lost_range l
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = l.file_id
    where l.tenant_id = ${tenantId} and l.file_id = any(${[...fileIds]}::bigint[])
      and (f.original_key = l.object_key or exists (
        select from segment s where s.tenant_id = ${tenantId} and s.file_id = l.file_id and s."offset" = l."offset" and s.object_key = l.object_key))`.execute(
    trx,
  );
  return new Set(rows.map((row) => row.file_id));
}
