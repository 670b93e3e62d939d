import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const root = join(import.meta.dirname, '../..');

/**
 * The version to upgrade from and to return to, as a commit. By default, the last commit before
 * migrations 0033 to 0035.
 */
export const previousCommit = process.env.TEST_PREVIOUS ?? 'dd7e5cde';

/** Whether the commit is in this clone; a shallow clone lacks it. */
export async function hasPrevious(): Promise<boolean> {
  return run('git', ['cat-file', '-e', `${previousCommit}^{commit}`], { cwd: root }).then(
    () => true,
    () => false,
  );
}

/**
 * Builds the previous version with the packages of this version. Returns its folder. It is built
 * once, which takes a minute.
 */
export async function buildPrevious(): Promise<string> {
  const versions = join(root, '.cache/previous');
  const folder = join(versions, previousCommit);
  if (existsSync(folder)) return folder;
  await mkdir(versions, { recursive: true });
  const unfinished = await mkdtemp(join(versions, 'unfinished-'));
  try {
    const archive = join(unfinished, 'archive.tar');
    await run('git', ['archive', '--output', archive, previousCommit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', unfinished]);
    await rm(archive);
    await symlink(join(root, 'node_modules'), join(unfinished, 'node_modules'));
    await run('npm', ['run', 'build'], { cwd: unfinished, maxBuffer: 64 << 20 });
    await rename(unfinished, folder);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    throw error;
  }
  return folder;
}
