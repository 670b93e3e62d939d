import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';

/** The version to install if no versitygw is found. Containers run the same version's image. */
export const versitygwVersion = 'v1.8.0';

const run = promisify(execFile);

/**
 * Path of a `versitygw`: on the PATH, where `go install` puts it, or in this repository's
 * `.cache/bin`, where it is installed if Go is available.
 */
export async function findVersitygw(): Promise<string> {
  const own = join(repositoryRoot(), '.cache', 'bin');
  const goBin = process.env.GOBIN ?? join(process.env.GOPATH ?? join(homedir(), 'go'), 'bin');
  for (const folder of [...(process.env.PATH ?? '').split(delimiter), goBin, own]) {
    const file = join(folder, 'versitygw');
    if (folder !== '' && (await isExecutable(file))) return file;
  }
  await install(own);
  return join(own, 'versitygw');
}

async function install(folder: string): Promise<void> {
  try {
    await run('go', ['version']);
  } catch (error) {
    throw new Error('there is no versitygw on the PATH, and no Go to install it with', { cause: error });
  }
  process.stderr.write(`Installing versitygw ${versitygwVersion} with \`go install\`; this takes some minutes, once.\n`);
  try {
    await run('go', ['install', `github.com/versity/versitygw/cmd/versitygw@${versitygwVersion}`], {
      env: { ...process.env, GOBIN: folder },
      timeout: 900_000,
    });
  } catch (error) {
    throw new Error(`there is no versitygw on the PATH, and \`go install\` failed: ${(error as Error).message}`, { cause: error });
  }
}

/** The package.json folder, from the source tree or the build. */
function repositoryRoot(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
