import type { RunName } from '#model';

/**
 * The parts of a possibly temporary file's name: the tool that uses such names, and the original
 * file's name.
 */
export interface TemporaryName {
  readonly tool: string;
  /** Empty if the temporary name does not contain the original name. */
  readonly plain: string;
}

/**
 * The names that sync tools, browsers and editors give to temporary files or copies. The first
 * group is the name of the original file, if the temporary name contains it. A name is only a hint:
 * the content decides what happens to the file (see `Sieve`).
 */
const patterns: readonly (readonly [tool: string, pattern: RegExp])[] = [
  // s3transfer: the name, a dot, and 8 random hexadecimal digits. A host name may end like this; a
  // time or a process id consists of digits only.
  ['aws s3', /^(.*tfevents\.\d{9,11}\..+|.*tfevents\.\d{9,11})\.(?=\d*[A-Fa-f])[0-9A-Fa-f]{8}$/],
  ['gsutil', /^(.+)_\.gs(?:tmp|mv)$/],
  ['rclone', /^(.+?)(?:\.[0-9a-z]{8})?\.partial$/],
  ['Syncthing', /^(?:\.syncthing\.|~syncthing~)(.+)\.tmp$/],
  ['Syncthing', /^(.+)\.sync-conflict-\d{8}-\d{6}-\w+.*$/],
  ['Unison', /^\.unison\.(.+?)(?:\.[0-9a-f]+)?\.unison\.tmp$/],
  ['Mutagen', /^\.mutagen-temporary-(.*)$/],
  ['Nextcloud', /^\.(.+)\.~[0-9a-f]+$/],
  ['Dropbox', /^(.+) \(.*conflicted copy.*\)$/],
  ['azcopy', /^\.azDownload-[0-9a-f-]+-(.+)$/],
  ['MinIO client', /^(.+)\.part\.minio$/],
  ['lftp', /^\.in\.(.+)\.$/],
  ['a browser or a download', /^(.+)\.(?:crdownload|opdownload|part|partial|download|filepart|aria2|incomplete|tmp|temp)$/i],
  // rsync: a dot, the name, a dot, and 6 letters or digits.
  ['rsync', /^\.(.*tfevents.*)\.[A-Za-z0-9]{6}$/],
  ['an editor', /^\.(.+)\.sw[a-z]$/],
  ['an editor', /^\.?#(.+?)#?$/],
  ['an editor', /^(.+?)(?:\.~\d+)?~$/],
  ['macOS', /^\._(.+)$/],
  ['NFS', /^\.(?:nfs|fuse_hidden)[0-9a-f]+(.*)$/],
  ['a copy', /^(.+?) ?\(\d+\)$/],
  ['a copy', /^(.+?)(?: - Copy| copy)(?: ?\(?\d+\)?)?$/i],
  ['a copy', /^Copy of (.+)$/i],
  ['a backup', /^(.+)\.(?:bak|backup|orig|old|save|copy)\d*$/i],
];

/** Folders in which sync tools write temporary files. */
const folders: readonly (readonly [tool: string, name: string])[] = [
  ['rsync', '.rsync-partial'],
  ['rsync', '.~tmp~'],
  ['Syncthing', '.stversions'],
];

/**
 * The original of a file that looks like a temporary copy by its name; null for other names. `run`
 * is the folder of the file, with `/`.
 */
export function temporaryName(run: RunName, name: string): TemporaryName | null {
  for (const [tool, pattern] of patterns) {
    const match = pattern.exec(name);
    if (match) return { tool, plain: match[1] ?? '' };
  }
  const folder = folders.find(([, above]) => run.split('/').includes(above));
  return folder ? { tool: folder[0], plain: name } : null;
}
