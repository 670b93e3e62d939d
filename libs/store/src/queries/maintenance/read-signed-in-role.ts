import { type QueryExecutorProvider, sql } from 'kysely';

/** A connection's role. */
export interface SignedInRole {
  /**
   * The role that the connection signed in as. The connection can always use that role's rights.
   */
  readonly name: string;
  /**
   * The role that determines the rights of the connection's statements. It differs after `SET
   * ROLE`, which an address can request.
   */
  readonly worksAs: string;
  readonly superuser: boolean;
  /** Whether the role bypasses row level security. */
  readonly bypassesRls: boolean;
}

/** Reads a connection's role. Needs no privileges. */
export async function readSignedInRole(db: QueryExecutorProvider): Promise<SignedInRole> {
  const { rows } = await sql<{ name: string; works_as: string; superuser: boolean; bypasses_rls: boolean }>`
    /* read-signed-in-role */
    select session_user as name, current_user as works_as, rolsuper as superuser, rolbypassrls as bypasses_rls
      from pg_roles where rolname = session_user`.execute(db);
  const row = rows[0]!;
  return { name: row.name, worksAs: row.works_as, superuser: row.superuser, bypassesRls: row.bypasses_rls };
}
