import { sql } from 'kysely';
import type { TenantScope } from '../../scope.ts';
import type { UploaderBlob } from './read-uploader-sequences.ts';

/** Stores a complete blob, replacing an earlier one at its index. */
export async function putUploaderBlob(
  { trx, tenantId }: TenantScope,
  sequenceId: string,
  { index, size, crc32c, body }: UploaderBlob & { readonly body: Buffer },
): Promise<void> {
  await sql`
    /* put-uploader-blob */
    insert into uploader_blob (tenant_id, sequence_id, index, size, crc32c, body)
    values (${tenantId}, ${sequenceId}, ${index}, ${size}, ${crc32c}, ${body})
    on conflict (tenant_id, sequence_id, index) do update set size = excluded.size, crc32c = excluded.crc32c, body = excluded.body`.execute(
    trx,
  );
}
