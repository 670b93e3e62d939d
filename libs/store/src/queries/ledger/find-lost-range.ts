import { sql } from 'kysely';
import type { FileId } from '#model';
import type { AnyScope } from '../../scope.ts';
import type { LostRange } from './write-lost-ranges.ts';

/** A file's first lost range that shares a byte with `[start, end)`. Null if there is none. */
export async function findLostRange(
  { trx, tenantId }: AnyScope,
  fileId: FileId,
  { start, end }: { readonly start: number; readonly end: number },
): Promise<Pick<LostRange, 'offset' | 'bytes'> | null> {
  const { rows } = await sql<{ offset: string; bytes: string }>`
    /* find-lost-range */
    select l."offset", l.bytes from lost_range l
    join event_file f on f.tenant_id = ${tenantId} and f.file_id = l.file_id
    where l.tenant_id = ${tenantId} and l.file_id = ${fileId} and l."offset" < ${end} and l."offset" + l.bytes > ${start}
      and (f.original_key = l.object_key or exists (
        select from segment s where s.tenant_id = ${tenantId} and s.file_id = l.file_id and s."offset" = l."offset" and s.object_key = l.object_key))
    order by l."offset" limit 1`.execute(trx);
  const [row] = rows;
  return row ? { offset: Number(row.offset), bytes: Number(row.bytes) } : null;
}
