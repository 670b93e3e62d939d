import { type Kysely, sql } from 'kysely';
import type { Database } from '../../database.ts';

/** Who a connection is to Postgres. */
export interface SignedInRole {
  /** Whom it signed in as; what that one may, it can always do. */
  readonly name: string;
  /** Whose rights its statements have: another one's after `SET ROLE`, which an address can ask for. */
  readonly worksAs: string;
  readonly superuser: boolean;
  /** Row level security does not apply to it. */
  readonly bypassesRls: boolean;
}

/** Asks a connection who it is. Needs no right at all. */
export async function readSignedInRole(db: Kysely<Database>): Promise<SignedInRole> {
  const { rows } = await sql<{ name: string; works_as: string; superuser: boolean; bypasses_rls: boolean }>`
    select session_user as name, current_user as works_as, rolsuper as superuser, rolbypassrls as bypasses_rls
      from pg_roles where rolname = session_user`.execute(db);
  const row = rows[0]!;
  return { name: row.name, worksAs: row.works_as, superuser: row.superuser, bypassesRls: row.bypasses_rls };
}
