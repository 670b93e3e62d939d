import type { DatabaseSync } from 'node:sqlite';
import { CliError, exitCodes } from '../exit.ts';

/** Opens a SQLite file for reading while `use` runs. */
export async function withSqlite(path: string, use: (database: DatabaseSync) => Promise<void>): Promise<void> {
  let sqlite: typeof import('node:sqlite');
  try {
    sqlite = await import('node:sqlite');
  } catch (error) {
    throw new CliError(exitCodes.failed, `Node ${process.version} cannot read SQLite files. Use Node 22.13 or later.`, { cause: error });
  }
  const database = new sqlite.DatabaseSync(path, { readOnly: true });
  try {
    await use(database);
  } finally {
    database.close();
  }
}

/** Names of the tables. */
export function tablesOf(database: DatabaseSync): ReadonlySet<string> {
  return new Set(
    database
      .prepare(`select name from sqlite_master where type = 'table'`)
      .all()
      .map((row) => String(row['name'])),
  );
}
