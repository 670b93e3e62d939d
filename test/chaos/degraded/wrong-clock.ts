import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** The paths of the library in Debian's package `faketime`. */
const packaged = ['/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1', '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1'];

/** Creates environments in which a process has a wrong wall clock. */
export interface WrongClock {
  /** The library in use, for the report. */
  readonly by: string;
  env(offsetSeconds: number): NodeJS.ProcessEnv;
}

/**
 * Compiles the shim into `folder`; without a compiler, uses the library of the package `faketime`.
 * Throws if it has no effect on Node.
 */
export async function makeWrongClock(folder: string): Promise<WrongClock> {
  const clock = (await compiled(folder)) ?? (await installed());
  if (!clock) throw new Error('there is neither gcc nor libfaketime on this machine');
  const { stdout } = await run(process.execPath, ['-p', 'Date.now()'], { env: { ...process.env, ...clock.env(-86_400) } });
  const off = Number(stdout) - Date.now() + 86_400_000;
  if (Math.abs(off) > 60_000)
    throw new Error(`Node does not see the clock of ${clock.by}: it differs by ${off} ms from the requested time`);
  return clock;
}

async function compiled(folder: string): Promise<WrongClock | null> {
  const library = join(folder, 'clock-shim.so');
  try {
    await run('gcc', ['-shared', '-fPIC', '-O2', '-o', library, join(import.meta.dirname, 'clock-shim.c'), '-ldl']);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return {
    by: 'clock-shim.c',
    env: (offsetSeconds) => (offsetSeconds === 0 ? {} : { LD_PRELOAD: library, CLOCK_OFFSET_SECONDS: String(offsetSeconds) }),
  };
}

async function installed(): Promise<WrongClock | null> {
  for (const library of packaged) {
    if (
      await access(library).then(
        () => true,
        () => false,
      )
    ) {
      return {
        by: 'libfaketime',
        env: (offsetSeconds) =>
          offsetSeconds === 0
            ? {}
            : { LD_PRELOAD: library, FAKETIME: `${offsetSeconds > 0 ? '+' : ''}${offsetSeconds}s`, DONT_FAKE_MONOTONIC: '1' },
      };
    }
  }
  return null;
}
