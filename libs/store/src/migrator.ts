import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { matchServicePolicies } from './service-policies.ts';

/** One file in `migrations/`: `0007_share_links.sql` has number 7 and name `share_links`. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  /** Hex SHA-256 of the file. */
  readonly sha256: string;
}

export interface MigrateOptions {
  /** Folder of the numbered files. Defaults to this package's folder. */
  readonly folder?: string;
  readonly log?: (line: string) => void;
  /**
   * How long a migration waits for other transactions, over all attempts. 10 minutes by default.
   */
  readonly maxWaitMs?: number;
}

/** The schema and this code are incompatible. Nothing was changed. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/**
 * Held during migrations: if several processes start at the same time, one migrates and the others
 * wait. The number is arbitrary but fixed.
 */
const advisoryLock = 7_568_465_001;
/**
 * A migration that cannot get a table's lock gives up after this time and tries again later:
 * queries that queue behind it wait at most this long, which is less than their own limit
 * (`store.ts`).
 */
const lockTimeoutMs = 2_000;
const maxWaitMs = 600_000;
const pauseMs = 1_000;
const pollMs = 200;
/** SQLSTATEs: a lock was not available in time, or there was a deadlock. */
const inTheWay = ['55P03', '40P01'];

const noTransaction = '-- plotline:no-transaction';
/** Older code cannot work with the schema after this migration. */
const contract = '-- plotline:contract';

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly sha256: string;
  readonly contract: boolean;
}

/**
 * Migrates the schema to this code's version. Runs each numbered file that is not in
 * `schema_migration`, in order, in its own transaction, as the role plotline_owner. A file that
 * cannot get a lock is retried. A newer schema is not changed. Throws {@link SchemaMismatch} if the
 * newer schema does not work with this code, or if an applied file was changed.
 *
 * Lines at the start of a file: `-- plotline:no-transaction` runs its single statement outside a
 * transaction (CREATE INDEX CONCURRENTLY); `-- plotline:contract` marks a schema that older code
 * cannot work with.
 *
 * `url` signs in as plotline_migrator or as an administrator. Returns the applied migrations. Run
 * `prepareDatabase` first.
 */
export async function migrate(url: string, options: MigrateOptions = {}): Promise<readonly Migration[]> {
  const known = await readMigrations(options.folder);
  const log = options.log ?? (() => undefined);
  const wait: LockWait = { until: performance.now() + (options.maxWaitMs ?? maxWaitMs), log };
  const client = new pg.Client({ connectionString: url, application_name: 'plotline-migrator' });
  await client.connect();
  try {
    await waitForOthers(client, log);
    await client.query('set role plotline_owner');
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
    const pending = comparePending(known, await readApplied(client, wait), log);
    for (const migration of pending) {
      const what = `migration ${migration.number} (${migration.name})`;
      await retryLocks(wait, what, () => apply(client, migration)).catch((error: unknown) => {
        throw new Error(`M${what.slice(1)} failed: ${(error as Error).message}`, { cause: error });
      });
      log(`applied ${what}`);
    }
    await retryLocks(wait, 'the change of policies', () => inTransaction(client, () => matchServicePolicies(client)));
    return pending;
  } finally {
    await client.end(); // also releases the advisory lock
  }
}

/**
 * Polls for the advisory lock. A statement that waits for it would hold a snapshot, and CREATE
 * INDEX CONCURRENTLY waits for older snapshots, so the two would wait for each other.
 */
async function waitForOthers(client: pg.Client, log: (line: string) => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [advisoryLock]);
    if (rows[0]!.taken) return;
    if (attempt === 1) log('another process migrates this database; waiting for it');
    await sleep(pollMs);
  }
}

interface LockWait {
  /** By `performance.now()`. */
  readonly until: number;
  readonly log: (line: string) => void;
}

/** Reruns `work` until it is no longer stopped by other transactions' locks. */
async function retryLocks<T>({ until, log }: LockWait, what: string, work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!inTheWay.includes((error as pg.DatabaseError).code ?? '') || performance.now() > until) throw error;
      if (attempt === 1) log(`${what} waits for a lock of another transaction; retrying`);
      await sleep(pauseMs);
    }
  }
}

async function inTransaction<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin');
  try {
    const result = await work();
    await client.query('commit');
    return result;
  } catch (error) {
    await client.query('rollback').catch(() => undefined); // the first error is reported
    throw error;
  }
}

async function readApplied(client: pg.Client, wait: LockWait): Promise<readonly Applied[]> {
  await client.query(
    `create table if not exists schema_migration (
       number integer not null constraint schema_migration_pkey primary key,
       name text not null,
       sha256 text not null,
       applied_at timestamptz not null default now(),
       contract boolean not null default false)`,
  );
  const { rowCount } = await client.query(
    `select from pg_attribute where attrelid = 'schema_migration'::regclass and attname = 'contract' and not attisdropped`,
  );
  if (rowCount === 0) {
    await retryLocks(wait, 'the table schema_migration', () =>
      client.query('alter table schema_migration add column contract boolean not null default false'),
    );
  }
  return (await client.query<Applied>('select number, name, sha256, contract from schema_migration order by number')).rows;
}

/** The folder's numbered files, by number. Throws if a number is missing or used twice. */
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

/** `migrations/` beside the package.json above this file, both in the source and in dist. */
export function migrationsFolder(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return join(folder, 'migrations');
}

function comparePending(known: readonly Migration[], applied: readonly Applied[], log: (line: string) => void): readonly Migration[] {
  const newer = applied.filter(({ number }) => number > known.length);
  const breaking = newer.find((row) => row.contract);
  if (breaking) throw new SchemaMismatch(tooNew(breaking.number, known.length));
  for (const row of applied) {
    const migration = known[row.number - 1];
    if (!migration) break; // a newer one
    if (migration.sha256 !== row.sha256) {
      throw new SchemaMismatch(
        `Migration ${row.number} (${row.name}) was applied to this database with different content than ${migration.number}_${migration.name}.sql. ` +
          'Applied migrations are never edited: put the change in a new migration.',
      );
    }
  }
  const last = newer.at(-1)?.number;
  if (last !== undefined)
    log(`the database is at migration ${last}, and this Plotline knows ${known.length}; it works with the newer schema`);
  const done = new Set(applied.map(({ number }) => number));
  return known.filter(({ number }) => !done.has(number));
}

/** The message about a schema that does not work with older code. */
export function tooNew(number: number, known: number): string {
  return `A newer Plotline applied migration ${number}, and the schema no longer works with this version, which knows migrations up to ${known}. Start the newer version; the schema cannot be downgraded.`;
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  const first = migration.sql.split('\n', 2);
  const record = () =>
    client.query('insert into schema_migration (number, name, sha256, contract) values ($1, $2, $3, $4)', [
      migration.number,
      migration.name,
      migration.sha256,
      first.includes(contract),
    ]);
  if (!first.includes(noTransaction)) {
    await inTransaction(client, async () => {
      await client.query(migration.sql);
      await record();
    });
    return;
  }
  await dropUnfinishedIndex(client, migration.sql);
  // While this statement waits for other transactions, it blocks nobody.
  await client.query(`set lock_timeout = 0`);
  try {
    await client.query(migration.sql);
  } finally {
    await client.query(`set lock_timeout = ${lockTimeoutMs}`);
  }
  await record();
}

/** An interrupted CREATE INDEX CONCURRENTLY leaves behind an index that is never used. */
async function dropUnfinishedIndex(client: pg.Client, sql: string): Promise<void> {
  const name = /create (?:unique )?index concurrently (\w+)/i.exec(sql)?.[1];
  if (name !== undefined) await client.query(`drop index concurrently if exists ${pg.escapeIdentifier(name)}`);
}
