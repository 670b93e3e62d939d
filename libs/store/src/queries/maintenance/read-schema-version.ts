import { sql, type Kysely } from 'kysely';
import type { Database } from '../../database.ts';

/**
 * The number of the last applied migration; 0 if there is no schema, or one too old to be queried.
 */
export async function readSchemaVersion(db: Kysely<Database>): Promise<number> {
  const { rows } = await sql<{ readable: boolean }>`
    select coalesce(has_table_privilege(to_regclass('public.schema_migration'), 'select'), false) as readable`.execute(db);
  if (!rows[0]!.readable) return 0;
  const version = await sql<{ number: number }>`select coalesce(max(number), 0)::int as number from public.schema_migration`.execute(db);
  return version.rows[0]!.number;
}
