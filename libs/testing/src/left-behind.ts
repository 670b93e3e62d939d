import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folders of servers that may be down for a moment and come back have their port in their name, so that nobody takes it meanwhile. */
const heldPort = /^plotline-test-[a-z0-9]+-\d+-(\d+)-/;

/** What this process was given: servers that are started together listen a second later. */
const given = new Set<number>();

/**
 * A port of 127.0.0.1 that nobody listens on or holds, each once. Below those that the kernel gives to outgoing connections: a client that tries the port of
 * a server that is down again and again may be given that port for itself, and is then connected to itself.
 */
export async function freePort(): Promise<number> {
  const held = new Set((await readdir(tmpdir())).map((name) => Number(heldPort.exec(name)?.[1])));
  const [from, to] = [15_000, 32_000];
  for (;;) {
    const port = from + Math.floor(Math.random() * (to - from));
    if (held.has(port) || given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return false;
    throw error;
  }
  server.close();
  await once(server, 'close');
  return true;
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
