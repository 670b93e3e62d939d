import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { migrationsFolder } from './migrator.ts';
import { lacksRight } from './shut-out.ts';

export interface PrepareDatabaseOptions {
  /** An administrator's address, for any database on the server. */
  readonly adminUrl: string;
  /** Created if absent. */
  readonly database: string;
  /** Passwords by login role, set each time. Roles that are not listed keep their passwords. */
  readonly passwords: Readonly<Record<string, string>>;
}

/**
 * SQLSTATEs: another process created the database at the same time, or changed the same role
 * (internal_error, "tuple concurrently updated").
 */
const duplicateDatabase = ['42P04', '23505'];
const concurrentChange = 'XX000';

/**
 * Does what only an administrator can do, before {@link migrate}: creates the database, runs
 * `migrations/roles.sql`, and sets passwords. The administrator needs CREATEROLE, and CREATEDB if
 * the database does not exist, but need not be a superuser. Idempotent, even when run concurrently.
 * Returns the administrator's address for that database. Errors name the missing right.
 */
export async function prepareDatabase({ adminUrl, database, passwords }: PrepareDatabaseOptions): Promise<string> {
  const url = new URL(adminUrl);
  url.pathname = `/${encodeURIComponent(database)}`;
  const roles = await readFile(join(migrationsFolder(), 'roles.sql'), 'utf8');
  await withClient(adminUrl, async (server) => {
    const { rowCount } = await server.query('select from pg_database where datname = $1', [database]);
    if (rowCount !== 0) return;
    await server
      .query(`create database ${pg.escapeIdentifier(database)} template template0 encoding 'UTF8' locale 'C'`)
      .catch((error: pg.DatabaseError) => {
        if (error.code === lacksRight) {
          const user = decodeURIComponent(url.username);
          throw new Error(
            `the administrator ${user} may not create the database ${database}. Run "alter role ${pg.escapeIdentifier(user)} createdb", or create the database as ${user}`,
            { cause: error },
          );
        }
        if (!duplicateDatabase.includes(error.code ?? '')) throw error;
      });
  });
  for (let attempt = 1; ; attempt++) {
    try {
      await withClient(url.href, async (client) => {
        await makeRoles(client, roles, passwords).catch((error: unknown) => {
          throw rejectionOf(error, decodeURIComponent(url.username));
        });
        await assertSchemaGrants(client, database);
      });
      return url.href;
    } catch (error) {
      if ((error as pg.DatabaseError).code !== concurrentChange || attempt === 10) throw error;
    }
  }
}

async function makeRoles(client: pg.Client, roles: string, passwords: Readonly<Record<string, string>>): Promise<void> {
  await client.query(roles);
  for (const [role, password] of Object.entries(passwords)) {
    // ALTER ROLE accepts no parameters. The driver's quoting is intended for this.
    await client.query(`alter role ${pg.escapeIdentifier(role)} password ${pg.escapeLiteral(password)}`);
  }
}

/**
 * Adds to the message which attribute or membership the administrator lacks, because Postgres
 * reports this only as a detail.
 */
function rejectionOf(error: unknown, user: string): unknown {
  const { code, message, detail } = error as pg.DatabaseError;
  if (code !== lacksRight) return error;
  return new Error(
    `the administrator ${user} lacks a right: ${message}. ${detail ?? ''} An administrator needs CREATEROLE, and ADMIN OPTION on roles that someone else created`,
    { cause: error },
  );
}

/** If the user does not own the schema, grants only cause a warning. */
async function assertSchemaGrants(client: pg.Client, database: string): Promise<void> {
  const { rows } = await client.query<{ granted: boolean; user: string }>(
    `select has_schema_privilege('plotline_owner', 'public', 'create') as granted, current_user as user`,
  );
  const { granted, user } = rows[0]!;
  if (granted) return;
  throw new Error(
    `the administrator ${user} may not grant CREATE on schema public of the database ${database}. Run "alter database ${pg.escapeIdentifier(database)} owner to ${pg.escapeIdentifier(user)}"`,
  );
}

async function withClient(url: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: url, application_name: 'plotline-prepare' });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}
