import { existsSync, realpathSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { CliError, exitCodes, usageError } from '../exit.ts';
import type { Host } from '../host.ts';

/**
 * The real path of a log directory, so that a directory with several paths is stored once. Exit 1
 * if there is no such folder, 2 if none is given.
 */
export function realLogdir(host: Pick<Host, 'cwd'>, logdir: string): string {
  if (logdir === '') throw usageError('--logdir is empty. Pass the folder that contains the runs.');
  const path = resolve(host.cwd, logdir);
  const advice = existsSync(path) ? null : adviceFor(logdir);
  if (advice !== null) throw usageError(advice);
  try {
    if (statSync(path).isDirectory()) return realpathSync(path);
  } catch (error) {
    throw new CliError(exitCodes.failed, `There is no log directory ${path} (${(error as NodeJS.ErrnoException).code}).`, {
      code: 'no-event-files',
      cause: error,
    });
  }
  throw new CliError(exitCodes.failed, `${path} is a file; --logdir must be the folder that contains the runs.`, {
    code: 'no-event-files',
  });
}

/**
 * Advice for a --logdir in another program's syntax, or for a path that a shell did not expand;
 * null for other paths.
 */
function adviceFor(logdir: string): string | null {
  const scheme = /^([a-z][a-z0-9+.-]+):\/\//i.exec(logdir)?.[1]?.toLowerCase();
  const copy = { gs: 'gcloud storage rsync --recursive', s3: 'aws s3 sync' }[scheme ?? ''];
  if (copy)
    return `--logdir takes a folder on this machine, not ${logdir}. Copy it first, and copy again to get new data: ${copy} ${logdir} DIR`;
  if (scheme === 'file') return `--logdir takes a path, not an address: ${logdir.replace(/^file:\/\//i, '')}`;
  if (scheme) return `--logdir takes a folder on this machine, not ${logdir}. Copy or mount it here, and pass that folder.`;
  if (logdir === '~' || logdir.startsWith('~/'))
    return `The shell did not expand ${logdir}. Write --logdir "$HOME${logdir.slice(1)}" (without quotes around ~, and with a space instead of =).`;
  if (logdir.includes(','))
    return `There is no folder ${logdir}, and --logdir takes a single folder. Upload the parent folder, or run the command once for each folder.`;
  const named = /^([^/\\:]{2,}):(.+)$/.exec(logdir);
  if (named) return `--logdir takes a folder without a name prefix, not ${logdir}. Write --logdir ${named[2]!} --name ${named[1]!}`;
  return null;
}
