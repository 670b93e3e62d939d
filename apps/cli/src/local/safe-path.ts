import { createHash } from 'node:crypto';
import { sep } from 'node:path';

/** Maximum length of an encoded part: file systems allow 255 bytes, and a suffix may follow. */
const maxPartBytes = 200;

/** Names reserved for devices on Windows, with any extension. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

/**
 * A relative path for a name from the server, with one folder for each `/`-separated part. Names
 * are untrusted: parts with a special meaning in file systems (empty, `.`, `..`, separators, drive
 * letters, devices, control characters, trailing dots and blanks) are percent-encoded, so the
 * result never leaves its base folder, on any system. `%` is safe and remains, so the function is
 * idempotent. Two names can have the same safe path; {@link placeFolders} distinguishes them.
 */
export function safeRelativePath(name: string): string {
  return name.split('/').map(safePart).join(sep);
}

/** One part of a path; see {@link safeRelativePath}. */
export function safePart(part: string): string {
  // oxlint-disable-next-line no-control-regex -- the pattern looks for control characters
  let safe = part.replace(/[\u0000-\u001f\u007f\\:*?"<>|]/g, encode);
  if (safe === '') return '%';
  if (/^\.{1,2}$/.test(safe)) return safe.replaceAll('.', '%2E');
  safe = safe.replace(/[. ]+$/, (end) => end.replace(/./g, encode));
  if (windowsDevice.test(safe)) safe = `${encode(safe[0] ?? '')}${safe.slice(1)}`;
  if (!safe.isWellFormed()) safe = safe.replace(/\p{Surrogate}/gu, (half) => `%u${half.charCodeAt(0).toString(16).toUpperCase()}`);
  return Buffer.byteLength(safe) <= maxPartBytes ? safe : shortened(safe, part);
}

/**
 * The folder of a run. `isTaken`: another run has the same safe path, so this folder gets a suffix.
 */
export interface PlacedFolder {
  readonly folder: string;
  readonly isTaken: boolean;
}

/**
 * Chooses a folder for each run: the run's name if it is a safe path, otherwise its safe path, with
 * a suffix if another run has the same safe path. No two runs get the same folder, and each folder
 * keeps its name when it is exported again. The run `.` is the folder itself. Deterministic.
 */
export function placeFolders(runs: Iterable<string>): ReadonlyMap<string, PlacedFolder> {
  const wanted = [...new Set(runs)].map((run) => {
    const folder = run === '.' ? '.' : safeRelativePath(run);
    return { run, folder, isSame: folder.split(sep).join('/') === run };
  });
  wanted.sort((a, b) => Number(b.isSame) - Number(a.isSame) || Buffer.compare(Buffer.from(a.run), Buffer.from(b.run)));
  const taken = new Set<string>();
  const placed = new Map<string, PlacedFolder>();
  for (const { run, folder } of wanted) {
    let unique = folder;
    for (let attempt = 0; taken.has(unique); attempt++) {
      const hash = createHash('sha256')
        .update(JSON.stringify([run, attempt]))
        .digest('hex')
        .slice(0, 12);
      unique = withSuffix(folder, `.${hash}`);
    }
    taken.add(unique);
    placed.set(run, { folder: unique, isTaken: unique !== folder });
  }
  return placed;
}

/** Shortens the last part if the suffix would make it too long. */
function withSuffix(folder: string, suffix: string): string {
  const at = folder.lastIndexOf(sep) + 1;
  return `${folder.slice(0, at)}${startOf(folder.slice(at), maxPartBytes - suffix.length)}${suffix}`;
}

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * Shortens a name that is too long for a file system to its start and a hash that keeps it unique.
 */
function shortened(safe: string, original: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(original)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `${startOf(safe, maxPartBytes - 20)}%~${hash.toString(16).padStart(16, '0')}`;
}

/** The longest prefix of a string that fits into `bytes` bytes. */
function startOf(text: string, bytes: number): string {
  let kept = '';
  let size = 0;
  for (const character of text) {
    size += Buffer.byteLength(character);
    if (size > bytes) break;
    kept += character;
  }
  return kept;
}
