import { basename, dirname } from 'node:path';

/**
 * Other tools' folders in a log directory, which are not scanned: they contain copies of event
 * files, which would appear as runs, or data without event files. `names` lists a folder; it is
 * called only if a run could have the same name. Null for an ordinary folder.
 */
export function otherToolsFolder(path: string, names: () => readonly string[]): string | null {
  switch (basename(path)) {
    case '__MACOSX':
      return 'macOS metadata from a ZIP archive; skipped';
    case '.snapshot':
    case '.snapshots':
    case '.zfs':
      return 'file system snapshots; skipped';
    case 'wandb':
      return names().some((name) => /^(offline-)?run-|^latest-run$|^debug(-internal)?\.log$/.test(name))
        ? 'the Weights & Biases folder; skipped. To upload event files in it, pass it to --logdir'
        : null;
    case 'profile':
      return basename(dirname(path)) === 'plugins' ? 'profiler traces; skipped, because they are not in event files' : null;
    default:
      return null;
  }
}

/** Other tools' files next to event files, which users may expect to see. */
export function otherToolsFile(name: string): string | null {
  return name === 'projector_config.pbtxt' ? 'projector embeddings; skipped, because they are not in event files' : null;
}
