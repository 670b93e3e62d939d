import type { Kysely } from 'kysely';
import type { Database } from '../../database.ts';

/** A complete file whose segments are not joined yet. */
export interface FileToJoin {
  readonly tenantId: string;
  readonly fileId: string;
}

/** At most `limit` of them, over all tenants and without locks (role plotline_sweeper). A worker may still have to read some of their bytes. */
export async function readFilesToJoin(sweeper: Kysely<Database>, limit: number): Promise<FileToJoin[]> {
  const rows = await sweeper
    .selectFrom('event_file')
    .select(['tenant_id', 'file_id'])
    .whereRef('completed_bytes', '>', 'joined_bytes')
    .where('dropped_bytes', '=', '0')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ tenantId: row.tenant_id, fileId: row.file_id }));
}
