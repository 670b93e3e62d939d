import { sql } from 'kysely';
import type { FileId } from '#model';
import type { AnyScope } from '../../scope.ts';

const rowsPerPage = 5_000;

/**
 * Length and CRC-32C of adjacent prefix segments from `start` on that end at or before `end`. Stops
 * earlier if segments were joined across the end of a page in the meantime. `start` must be the
 * offset of a segment. Keeps one page of rows in memory at a time.
 */
export async function* readSegmentChecksums(
  { trx, tenantId }: AnyScope,
  fileId: FileId,
  start: number,
  end: number,
): AsyncGenerator<{ readonly length: number; readonly crc32c: number }> {
  for (let position = start; ;) {
    const { rows } = await sql<{ offset: string; length: number; crc32c: string }>`
      /* read-segment-checksums */
      select "offset", length, crc32c from segment
      where tenant_id = ${tenantId} and file_id = ${fileId} and epoch is not null
        and "offset" >= ${position} and "offset" < ${end} and "offset" + length <= ${end}
      order by "offset" limit ${rowsPerPage}`.execute(trx);
    for (const { offset, length, crc32c } of rows) {
      if (Number(offset) !== position) return;
      yield { length, crc32c: Number(crc32c) };
      position += length;
    }
    if (rows.length < rowsPerPage) return;
  }
}
