import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { noteOwnService } from './own-services.ts';

const schema = z.object({ server: z.string(), token: z.string() });

/** Credentials for the CLI on the same machine: the service's URL, and a valid token. */
export type Credentials = z.infer<typeof schema>;

/** The stored credentials of a data folder; null if there are none, or if they are unreadable. */
export async function readCredentials(dataDir: string): Promise<Credentials | null> {
  try {
    return schema.parse(JSON.parse(await readFile(join(dataDir, 'credentials.json'), 'utf8')));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof z.ZodError || (error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/**
 * Writes `credentials.json`, mode 0600, atomically, and records for this user's CLI that the
 * service wrote it.
 */
export async function writeCredentials(dataDir: string, credentials: Credentials): Promise<void> {
  const file = join(dataDir, 'credentials.json');
  const written = `${file}.new`;
  const content = `${JSON.stringify(credentials)}\n`;
  await writeFile(written, content, { mode: 0o600 });
  await chmod(written, 0o600); // otherwise an old file of that name keeps its mode
  await rename(written, file);
  await noteOwnService(file, content);
}
