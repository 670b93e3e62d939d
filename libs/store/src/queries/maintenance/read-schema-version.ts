import { sql } from 'kysely';
import type { GlobalHandle } from '../../handles.ts';

/** The migrations applied to a database. */
export interface SchemaVersion {
  /**
   * The last applied migration. 0 if there is no schema or if the schema is too old to be queried.
   */
  readonly number: number;
  /** The last migration that older code cannot work with. 0 if there is none. */
  readonly contract: number;
}

export async function readSchemaVersion(db: GlobalHandle): Promise<SchemaVersion> {
  const { rows } = await sql<{ readable: boolean }>`
    /* read-schema-version */
    select coalesce(has_table_privilege(to_regclass('public.schema_migration'), 'select'), false) as readable`.execute(db);
  if (!rows[0]!.readable) return { number: 0, contract: 0 };
  // The column `contract` may be missing if an older version created the table.
  const version = await sql<SchemaVersion>`
    /* read-schema-version-public */
    select coalesce(max(number), 0)::int as number,
      coalesce(max(number) filter (where (to_jsonb(m) ->> 'contract')::boolean), 0)::int as contract
    from public.schema_migration m`.execute(db);
  return version.rows[0]!;
}
