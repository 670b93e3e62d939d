import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

/** One file of `migrations/`: `0007_share_links.sql` is number 7, name `share_links`. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
}

export interface MigrateOptions {
  /** Folder of the numbered files; defaults to the one of this package. */
  readonly folder?: string;
  readonly log?: (line: string) => void;
}

/** The schema and this code are incompatible; nothing was changed. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/**
 * Held during migrations: if several processes start at once, one migrates and the others wait. Any
 * fixed number.
 */
const advisoryLock = 7_568_465_001;
/** A migration that cannot get a table's lock fails, so later queries do not queue up behind it. */
const lockTimeout = '10s';
const noTransaction = '-- plotline:no-transaction';

/**
 * Migrates the schema to this code's version: runs each numbered file that is not in
 * `schema_migration`, in order, each in its own transaction, as role plotline_owner. Throws {@link
 * SchemaMismatch} if the schema is newer than the code, or an applied file was changed. A file
 * whose first line is `-- plotline:no-transaction` runs outside one (CREATE INDEX CONCURRENTLY) and
 * holds a single statement.
 *
 * `url`: role plotline_migrator, or an administrator. Returns the applied migrations. Run
 * `prepareDatabase` first.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly Migration[]> {
  const known = await readMigrations(options.folder);
  const client = new pg.Client({ connectionString: url, application_name: 'plotline-migrator' });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [advisoryLock]);
    await client.query('set role plotline_owner');
    await client.query(
      `create table if not exists schema_migration (
         number integer not null constraint schema_migration_pkey primary key,
         name text not null,
         sha256 text not null,
         applied_at timestamptz not null default now())`,
    );
    const { rows } = await client.query<{ number: number; name: string; sha256: string }>(
      'select number, name, sha256 from schema_migration order by number',
    );
    const pending = comparePending(known, rows);
    await client.query(`set lock_timeout = '${lockTimeout}'`);
    for (const migration of pending) {
      await apply(client, migration);
      options.log?.(`applied migration ${migration.number} (${migration.name})`);
    }
    return pending;
  } finally {
    await client.end(); // also releases the advisory lock
  }
}

/** The numbered files of the folder, by number. Throws if a number is missing or used twice. */
export async function readMigrations(folder = migrationsFolder()): Promise<readonly Migration[]> {
  const migrations: Migration[] = [];
  for (const file of (await readdir(folder)).sort()) {
    const match = /^(\d{4})_([a-z0-9_]+)\.sql$/.exec(file);
    if (!match) continue;
    const sql = await readFile(join(folder, file), 'utf8');
    migrations.push({ number: Number(match[1]), name: match[2]!, sql, sha256: createHash('sha256').update(sql).digest('hex') });
  }
  migrations.forEach(({ number, name }, index) => {
    if (number !== index + 1) throw new Error(`Migrations are numbered without gaps: ${number} (${name}) is in place of ${index + 1}.`);
  });
  return migrations;
}

/** `migrations/` next to the package.json above this file, in the source as well as in dist. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'migrations');
}

function comparePending(
  known: readonly Migration[],
  applied: readonly { number: number; name: string; sha256: string }[],
): readonly Migration[] {
  const last = applied.at(-1)?.number ?? 0;
  if (last > known.length) {
    throw new SchemaMismatch(
      `The database was migrated to ${last} by a newer Plotline; this one knows migrations up to ${known.length}. Start the newer version; the schema cannot be downgraded.`,
    );
  }
  for (const row of applied) {
    const migration = known[row.number - 1]!;
    if (migration.sha256 !== row.sha256) {
      throw new SchemaMismatch(
        `Migration ${row.number} (${row.name}) was applied to this database with different content than ${migration.number}_${migration.name}.sql. ` +
          'Applied migrations are never edited: put the change in a new one.',
      );
    }
  }
  return known.slice(last);
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const record = () =>
    client.query('insert into schema_migration (number, name, sha256) values ($1, $2, $3)', [
      migration.number,
      migration.name,
      migration.sha256,
    ]);
  try {
    if (migration.sql.startsWith(noTransaction)) {
      await client.query(migration.sql);
      await record();
      return;
    }
    await client.query('begin');
    await client.query(migration.sql);
    await record();
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the first error is the one to report
    throw new Error(`Migration ${migration.number} (${migration.name}) failed: ${(error as Error).message}`, { cause: error });
  }
}
