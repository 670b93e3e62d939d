import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readPostmasterFile } from './orphan.ts';

/**
 * The address of a role, including its password, in the Postgres that a running service has started
 * in a data folder. For commands that run beside the service. Null if no Postgres runs there, or if
 * this user cannot read its secrets.
 */
export async function runningPostgresUrl(dataDir: string, role: string, database: string): Promise<string | null> {
  const file = await readPostmasterFile(join(dataDir, 'postgres')).catch(ifUnreadable);
  if (!file?.ready) return null;
  const password = await readFile(join(dataDir, 'secrets', role), 'utf8').catch(ifUnreadable);
  return password === null
    ? null
    : `postgres://${role}:${encodeURIComponent(password.trim())}@127.0.0.1:${file.port}/${encodeURIComponent(database)}`;
}

function ifUnreadable(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'EACCES') return null;
  throw error;
}
