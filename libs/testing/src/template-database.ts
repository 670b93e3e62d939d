import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { distribute, migrate, prepareDatabase, withOwnerLogin } from '#store';
import { closeClusterDatabase, copyClusterDatabase, createClusterDatabase, dropClusterDatabase } from './test-citus.ts';

/**
 * A migrated database without connections. Test databases are copies of it. Each copy takes a tenth
 * of a second.
 */
export interface TemplateDatabase {
  readonly adminUrl: string;
  readonly name: string;
  /** The cluster's workers, or null if there is no cluster. The template is on every node. */
  readonly workerUrls: readonly string[] | null;
}

/**
 * The same in every test run, because roles belong to the whole server, which test runs may share.
 */
const rolePassword = 'plotline-test';
export const testPasswords = Object.fromEntries(
  ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'].map((role) => [role, rolePassword]),
);

/** Creates and migrates the template, with a unique name. */
export async function makeTemplate(
  adminUrl: string,
  workerUrls: readonly string[] | null,
): Promise<TemplateDatabase & { drop(): Promise<void> }> {
  const name = `plotline_template_${randomName()}`;
  const drop = () => dropOnNodes({ adminUrl, workerUrls }, name);
  try {
    if (workerUrls) {
      await createClusterDatabase({ coordinator: adminUrl, workers: workerUrls }, name);
      await distributeDatabase(adminUrl, name);
      await closeClusterDatabase([adminUrl, ...workerUrls], name);
    } else {
      await prepareDatabase({ adminUrl, database: name, passwords: testPasswords });
      await migrate(withDatabase(adminUrl, name, 'plotline_migrator', rolePassword));
    }
  } catch (error) {
    await drop();
    throw error;
  }
  return { adminUrl, name, workerUrls, drop };
}

/** A test file's database, with the URLs of its roles. */
export interface TestDatabase {
  readonly name: string;
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly ingestUrl: string;
  readonly sweeperUrl: string;
  readonly migratorUrl: string;
  /** Terminates the remaining connections and drops the database. */
  drop(): Promise<void>;
}

/** Copies the template, or creates an empty database for migrator tests. */
export async function copyTemplate({ adminUrl, workerUrls, name: template }: TemplateDatabase, empty = false): Promise<TestDatabase> {
  const name = `plotline_test_${randomName()}`;
  if (workerUrls === null)
    await administer(
      adminUrl,
      `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(empty ? 'template0' : template)}`,
    );
  else if (empty) await createClusterDatabase({ coordinator: adminUrl, workers: workerUrls }, name);
  else await copyClusterDatabase([...workerUrls, adminUrl], template, name);
  return {
    name,
    adminUrl: withDatabase(adminUrl, name),
    appUrl: withDatabase(adminUrl, name, 'plotline_app', rolePassword),
    ingestUrl: withDatabase(adminUrl, name, 'plotline_ingest', rolePassword),
    sweeperUrl: withDatabase(adminUrl, name, 'plotline_sweeper', rolePassword),
    migratorUrl: withDatabase(adminUrl, name, 'plotline_migrator', rolePassword),
    drop: () => dropOnNodes({ adminUrl, workerUrls }, name),
  };
}

/** Few shards, because each is a table on a worker. */
const shards = 4;

async function distributeDatabase(adminUrl: string, name: string): Promise<void> {
  const url = await prepareDatabase({ adminUrl, database: name, passwords: testPasswords });
  await withOwnerLogin(url, async () => {
    await migrate(withDatabase(adminUrl, name, 'plotline_migrator', rolePassword));
    await distribute(url, { shards });
  });
}

async function dropOnNodes({ adminUrl, workerUrls }: Omit<TemplateDatabase, 'name'>, name: string): Promise<void> {
  if (workerUrls) await dropClusterDatabase([adminUrl, ...workerUrls], name);
  else await administer(adminUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
}

function withDatabase(adminUrl: string, database: string, user?: string, password?: string): string {
  const url = new URL(adminUrl);
  url.pathname = `/${database}`;
  if (user !== undefined) url.username = user;
  if (password !== undefined) url.password = password;
  return url.href;
}

async function administer(adminUrl: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: adminUrl, application_name: 'plotline-test' });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

function randomName(): string {
  return randomBytes(6).toString('hex');
}
