import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/**
 * Records outside the data folder that this user's service has written `credentials.json` there.
 * The CLI trusts a file in the working folder only with such a record
 * (`apps/cli/src/local/own-services.ts` reads these records). A cloned repository or an unpacked
 * archive can contain any file, but not this record. Returns false if the user has no writable
 * folder; then the CLI needs PLOTLINE_SERVER and PLOTLINE_TOKEN.
 */
export async function noteOwnService(credentialsFile: string, content: string): Promise<boolean> {
  const folder = join(stateFolder(process.env), 'services');
  try {
    const file = await realpath(credentialsFile);
    const note = join(folder, `${sha256(file).slice(0, 32)}.json`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(`${note}.new`, `${JSON.stringify({ file, sha256: sha256(content) })}\n`, { mode: 0o600 });
    await rename(`${note}.new`, note);
    await removeStale(folder);
    return true;
  } catch {
    return false; // no home folder, or a read-only one: services do not need it
  }
}

/** Removes records of deleted files, so that the folder has one per service. */
async function removeStale(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!/^[0-9a-f]{32}\.json$/.test(name)) continue;
    const note = join(folder, name);
    const { file } = JSON.parse(await readFile(note, 'utf8')) as { file?: unknown };
    if (typeof file !== 'string' || !existsSync(file)) await rm(note, { force: true });
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The same folder as the CLI's (`apps/cli/src/local/folders.ts`). */
function stateFolder(env: NodeJS.ProcessEnv): string {
  const named = env['XDG_STATE_HOME'];
  if (named && isAbsolute(named)) return join(named, 'plotline');
  const windows = process.platform === 'win32' ? env['LOCALAPPDATA'] : undefined;
  return join(windows ?? join(env['HOME'] || homedir(), '.local', 'state'), 'plotline');
}
