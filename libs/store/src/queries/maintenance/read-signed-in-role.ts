import { type QueryExecutorProvider, sql } from 'kysely';

/** The role of a connection. */
export interface SignedInRole {
  /** The role that it signed in as; it can always use that role's rights. */
  readonly name: string;
  /**
   * The role whose rights its statements have: a different one after `SET ROLE`, which an address
   * can request.
   */
  readonly worksAs: string;
  readonly superuser: boolean;
  /** Row level security does not apply to it. */
  readonly bypassesRls: boolean;
}

/** Reads the role of a connection. Needs no privileges. */
export async function readSignedInRole(db: QueryExecutorProvider): Promise<SignedInRole> {
  const { rows } = await sql<{ name: string; works_as: string; superuser: boolean; bypasses_rls: boolean }>`
    /* read-signed-in-role */
    select session_user as name, current_user as works_as, rolsuper as superuser, rolbypassrls as bypasses_rls
      from pg_roles where rolname = session_user`.execute(db);
  const row = rows[0]!;
  return { name: row.name, worksAs: row.works_as, superuser: row.superuser, bypassesRls: row.bypasses_rls };
}
