import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rename, rm, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { giveTo, type RunAs } from './run-as.ts';

/**
 * Creates the cluster at `cluster` (which must not exist): UTF-8, C locale, scram, superuser
 * `postgres` with `password`. It is built under another name and renamed when complete, so a killed
 * start leaves no partial cluster. The password is passed in a file, not in argv, which every user
 * can read.
 */
export async function initCluster(initdb: string, cluster: string, password: string, runAs: RunAs, sync: boolean): Promise<void> {
  const draft = `${cluster}.new`;
  const passwordFile = `${cluster}.new.password`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  await giveTo(runAs, draft);
  await rm(passwordFile, { force: true });
  await writeFile(passwordFile, `${password}\n`, { mode: 0o600, flag: 'wx' });
  await giveFile(runAs, passwordFile);
  const args = ['-D', draft, '-U', 'postgres', '--encoding=UTF8', '--locale=C', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  const { file, args: all } = runAs.command(initdb, [...args, '--no-instructions', ...(sync ? [] : ['--no-sync'])]);
  try {
    await promisify(execFile)(file, all, { cwd: '/', env: { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' } });
  } catch (error) {
    const { stderr, stdout, message } = error as Error & { stderr?: string; stdout?: string };
    throw new Error(`initdb failed in ${dirname(cluster)}: ${(stderr || stdout || message).trim()}`, { cause: error });
  } finally {
    await unlink(passwordFile);
  }
  await chmod(draft, 0o700);
  await rename(draft, cluster);
}

async function giveFile(runAs: RunAs, path: string): Promise<void> {
  if (runAs.owner === null) return;
  await chown(path, runAs.owner.uid, runAs.owner.gid);
}
