import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { EmbeddedPostgres } from '#embedded-postgres';
import { nodeArgumentsOf } from '#testing';
import { plainEnvironment } from '../e2e/service.ts';

/** The database of the service, in each Postgres that tests disrupt. */
export const databaseName = 'plotline';
const roles = { APP: 'plotline_app', INGEST: 'plotline_ingest', SWEEPER: 'plotline_sweeper', MIGRATOR: 'plotline_migrator' } as const;

/** Returns the environment of a process for this Postgres, with its database and roles. */
export function environmentOf(postgres: EmbeddedPostgres): NodeJS.ProcessEnv {
  return {
    ...plainEnvironment(),
    PLOTLINE_SECRET_KEY: 'of these processes, and of no others',
    ...databaseUrls(postgres, (address) => address),
  };
}

/** Creates database, roles, tables and the first owner (`npm run migrate`, with these options). */
export async function migrateDatabase(postgres: EmbeddedPostgres, env: NodeJS.ProcessEnv, options: readonly string[] = []): Promise<void> {
  await promisify(execFile)(process.execPath, [...nodeArgumentsOf('migrate'), ...options], {
    env: { ...env, PLOTLINE_DATABASE_URL: postgres.url() },
  });
}

/** Returns the roles' URLs, each modified by `change`. */
export function databaseUrls(postgres: EmbeddedPostgres, change: (address: string) => string): Record<string, string> {
  return Object.fromEntries(
    Object.entries(roles).map(([name, role]) => [`PLOTLINE_${name}_DATABASE_URL`, change(postgres.url(role, databaseName))]),
  );
}
