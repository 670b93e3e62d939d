import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate, prepareDatabase } from '#store';

/**
 * A migrated database without connections. Test databases are copies of it; a copy takes a tenth of
 * a second.
 */
export interface TemplateDatabase {
  readonly adminUrl: string;
  readonly name: string;
}

/** The same in every test run, because roles belong to the whole server, which runs may share. */
const rolePassword = 'plotline-test';
export const testPasswords = Object.fromEntries(
  ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'].map((role) => [role, rolePassword]),
);

/** Creates and migrates the template, with a unique name. */
export async function makeTemplate(adminUrl: string): Promise<TemplateDatabase & { drop(): Promise<void> }> {
  const name = `plotline_template_${randomName()}`;
  const drop = () => administer(adminUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`);
  try {
    await prepareDatabase({ adminUrl, database: name, passwords: testPasswords });
    await migrate(withDatabase(adminUrl, name, 'plotline_migrator', rolePassword));
  } catch (error) {
    await drop();
    throw error;
  }
  return { adminUrl, name, drop };
}

/** The database of a test file, with the URLs of its roles. */
export interface TestDatabase {
  readonly name: string;
  readonly adminUrl: string;
  readonly appUrl: string;
  readonly ingestUrl: string;
  readonly sweeperUrl: string;
  readonly migratorUrl: string;
  /** Closes remaining connections and removes the database. */
  drop(): Promise<void>;
}

/**
 * Copies the template, or creates an empty database (no template: for tests of the migrator
 * itself).
 */
export async function copyTemplate(adminUrl: string, template: string | null): Promise<TestDatabase> {
  const name = `plotline_test_${randomName()}`;
  await administer(adminUrl, `create database ${pg.escapeIdentifier(name)} template ${pg.escapeIdentifier(template ?? 'template0')}`);
  return {
    name,
    adminUrl: withDatabase(adminUrl, name),
    appUrl: withDatabase(adminUrl, name, 'plotline_app', rolePassword),
    ingestUrl: withDatabase(adminUrl, name, 'plotline_ingest', rolePassword),
    sweeperUrl: withDatabase(adminUrl, name, 'plotline_sweeper', rolePassword),
    migratorUrl: withDatabase(adminUrl, name, 'plotline_migrator', rolePassword),
    drop: () => administer(adminUrl, `drop database if exists ${pg.escapeIdentifier(name)} with (force)`),
  };
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
