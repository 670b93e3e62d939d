import { basename, dirname } from 'node:path';

/**
 * Folders of other tools in a log directory that are not entered: what they hold are copies of event files, which would be runs of their own, or
 * data that no event file has. `names` lists a folder; it is asked for only where a person may have called a run the same. Null: a folder like any other.
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
        ? 'the Weights & Biases folder; skipped. To upload event files in it, name it with --logdir'
        : null;
    case 'profile':
      return basename(dirname(path)) === 'plugins' ? 'profiler traces; skipped, because they are not in event files' : null;
    default:
      return null;
  }
}

/** Files of other tools beside event files that somebody may expect to see. */
export function otherToolsFile(name: string): string | null {
  return name === 'projector_config.pbtxt' ? 'projector embeddings; skipped, because they are not in event files' : null;
}
