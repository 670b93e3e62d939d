import { realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';

/** The real path of a log directory, so that one directory is remembered once, whatever the way to it. Exit 1 when there is no such folder, 2 when none is named. */
export function realLogdir(host: Pick<Host, 'cwd'>, logdir: string): string {
  if (logdir === '') throw usageError('--logdir is empty; name the folder that holds the runs.');
  const path = resolve(host.cwd, logdir);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    throw new CliError(exitCodes.failed, `There is no log directory ${path} (${(error as NodeJS.ErrnoException).code}).`, {
      code: 'no-event-files',
      cause: error,
    });
  }
  throw new CliError(exitCodes.failed, `${path} is a file; --logdir names the folder that holds the runs.`, { code: 'no-event-files' });
}
