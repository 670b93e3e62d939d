import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Where Debian's package `faketime` has its library. */
const packaged = ['/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1', '/usr/lib/aarch64-linux-gnu/faketime/libfaketime.so.1'];

/** Makes environments in which a process sees a wrong time of day. */
export interface WrongClock {
  /** What the library is, for the report. */
  readonly by: string;
  env(offsetSeconds: number): NodeJS.ProcessEnv;
}

/** Compiles the shim into `folder`; without a compiler, takes the library of the package `faketime`. Throws when Node does not see it. */
export async function makeWrongClock(folder: string): Promise<WrongClock> {
  const clock = (await compiled(folder)) ?? (await installed());
  if (!clock) throw new Error('there is neither gcc nor libfaketime on this machine');
  const { stdout } = await run(process.execPath, ['-p', 'Date.now()'], { env: { ...process.env, ...clock.env(-86_400) } });
  const off = Number(stdout) - Date.now() + 86_400_000;
  if (Math.abs(off) > 60_000) throw new Error(`Node does not see the clock of ${clock.by}: it is off by ${off} ms from what was wanted`);
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
