import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Folders of servers that may be temporarily down contain their port in their name, so that nothing
 * else uses the port in the meantime.
 */
const heldPort = /^plotline-test-[a-z0-9]+-\d+-(\d+)-/;

/** Ports that this process has assigned. A server may not start listening until seconds later. */
const given = new Set<number>();

/**
 * A port on 127.0.0.1 that is neither in use nor held. Each port is returned only once. It is below
 * the range for outgoing connections. Otherwise, a client that keeps connecting to a stopped
 * server's port could get that port as its own, and connect to itself.
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
 * A killed test run leaves its servers running and their folders behind. The next run removes both.
 * Folders are named `<prefix><pid of the test run>-…`, and contain the server's PID in a file
 * `pid`. `program` is part of the server's command line.
 */
export async function removeLeftBehind(prefix: string, program: string): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const owner = new RegExp(`^${prefix}(\\d+)-`).exec(name)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(tmpdir(), name);
    try {
      const pid = Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => '0'));
      // Another program may have reused the PID.
      const command = pid > 0 ? await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '') : '';
      if (command.includes(program)) process.kill(pid, 'SIGKILL');
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // The process belongs to another user, or has exited in the meantime.
      if (code !== 'EACCES' && code !== 'EPERM' && code !== 'ESRCH') throw error;
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
