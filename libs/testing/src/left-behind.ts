import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A port of 127.0.0.1 that nobody listens on now. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (typeof address !== 'object' || address === null) throw new Error('a listening socket without a port');
  return address.port;
}

/**
 * A killed test run leaves its servers running and their folders behind; the next run clears both. Folders are called `<prefix><process of the
 * test run>-…`, and have the process of the server in a file `pid`; `program` is what its command line has in it.
 */
export async function removeLeftBehind(prefix: string, program: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    try {
      const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
      // The number may have gone to another program since.
      const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
      if (command.includes(program)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ESRCH') throw error; // another user's, or gone meanwhile
    }
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
