import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ExperimentId } from '#model';
import type { Api, ListedFile } from '../http/api.ts';
import { ApiError } from '../http/api-error.ts';
import { NetworkError } from '../http/http-client.ts';
import { crc32c } from '../local/crc32c.ts';
import { EventFile } from '../local/event-file.ts';
import { fileLabel } from '../local/file-label.ts';
import { placeFolders, safePart } from '../local/safe-path.ts';
import type { ContentSelection } from './content-selection.ts';
import { wouldOverwrite } from './finish-file.ts';
import { makeFolders, temporaryFor } from '../local/write-file.ts';

/** Folder below the output folder for older versions of files. */
export const olderVersions = '.older-versions';
/** Attempts per file if the connection breaks. */
const maxAttempts = 5;

/** The parts of a file's path. */
export type NamedFile = Pick<ListedFile, 'run' | 'name' | 'version' | 'rewritten'>;

/**
 * Why a path differs from the names of its run and file. Either a name is not a safe path, or
 * another run has the same safe path, or file systems that ignore case or composed characters would
 * treat it and another path as the same.
 */
export type RenameReason = 'unsafe' | 'run-taken' | 'path-taken';

/** The reason as the end of a sentence. */
export const renameReasons: Readonly<Record<RenameReason, string>> = {
  unsafe: 'its name is not a safe path',
  'run-taken': 'its name is not a safe path, and another run has the same safe path',
  'path-taken': 'some file systems treat its path and another path as the same',
};

/** The output path of a file. `renamed`: the path differs from its names for this `reason`. */
export interface PlacedFile<File extends NamedFile = NamedFile> {
  readonly file: File;
  readonly path: string;
  readonly renamed: boolean;
  readonly reason: RenameReason;
}

/** The result of a raw export. */
export interface RawExport {
  readonly files: readonly PlacedFile<NamedFile & Pick<ListedFile, 'bytes'>>[];
  readonly bytes: number;
  /** Number of files that already existed, byte for byte. */
  readonly unchanged: number;
  /** Files whose original bytes the service no longer keeps. */
  readonly gone: readonly PlacedFile[];
  /** Files whose stored bytes are lost. */
  readonly lost: readonly PlacedFile[];
}

/**
 * Chooses a path below the output folder for every file: `run/name` for the latest version,
 * `.older-versions/run/name.v1` for others. Names are untrusted ({@link placeFolders}); two names
 * that a file system could treat as the same (case, composed characters) get different paths.
 * Deterministic.
 */
export function placeFiles<File extends NamedFile>(files: readonly File[]): PlacedFile<File>[] {
  const sorted = [...files].sort(
    (a, b) => Buffer.compare(Buffer.from(`${a.run}\0${a.name}`), Buffer.from(`${b.run}\0${b.name}`)) || a.version - b.version,
  );
  const latest = new Map<string, number>();
  for (const file of sorted) latest.set(`${file.run}\0${file.name}`, file.version);
  const folders = new Set<string>();
  const ofRuns = placeFolders(sorted.map(({ run }) => run));
  const wanted = sorted.map((file) => {
    const isLatest = latest.get(`${file.run}\0${file.name}`) === file.version;
    const { folder: ofRun, isTaken } = ofRuns.get(file.run)!;
    const folder = join(isLatest ? '.' : olderVersions, ofRun);
    for (let at = folder; at !== '.'; at = dirname(at)) folders.add(same(at));
    const path = join(folder, isLatest ? safePart(file.name) : `${safePart(file.name)}.v${file.version}`);
    const plain = join(file.run, file.name);
    return { file, path, renamed: isLatest && path !== plain, reason: isTaken ? ('run-taken' as const) : ('unsafe' as const) };
  });
  const taken = new Set<string>();
  return wanted.map(({ file, path, renamed, reason }) => {
    const collides = taken.has(same(path)) || folders.has(same(path));
    const unique = collides
      ? `${path}.${createHash('sha256').update(`${file.run}\0${file.name}\0${file.version}`).digest('hex').slice(0, 12)}`
      : path;
    taken.add(same(unique));
    return { file, path: unique, renamed: renamed || collides, reason: collides ? 'path-taken' : reason };
  });
}

/** Normalizes a path like a file system that ignores case or composition. */
function same(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

/**
 * Writes every file of an experiment, or of some runs, below `outdir`, without deleted points.
 * Verifies each file against the service's checksum before renaming it to its final name.
 */
export async function exportRaw(
  api: Api,
  experimentId: ExperimentId,
  { runs }: ContentSelection,
  outdir: string,
  progress: (done: number, files: number) => void,
): Promise<RawExport> {
  const listed = await api.files(experimentId);
  const wanted = runs && new Set(runs);
  const placed = placeFiles(wanted ? listed.filter(({ run }) => wanted.has(run)) : listed);
  let bytes = 0;
  let unchanged = 0;
  const gone: PlacedFile[] = [];
  const lost: PlacedFile[] = [];
  for (const [i, { file, path }] of placed.entries()) {
    const target = join(outdir, path);
    makeFolders(dirname(target));
    if (existsSync(target)) {
      if (!(await isSame(target, file))) throw wouldOverwrite(target);
      unchanged++;
    } else {
      try {
        await fetchFile(api, experimentId, file, target);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        if (error.code === 'original-gone') gone.push(placed[i]!);
        else if (error.code === 'stored-bytes-lost') lost.push(placed[i]!);
        else throw error;
        continue;
      }
    }
    bytes += file.bytes;
    progress(i + 1, placed.length);
  }
  return { files: placed.filter((file) => !gone.includes(file) && !lost.includes(file)), bytes, unchanged, gone, lost };
}

async function isSame(path: string, file: ListedFile): Promise<boolean> {
  if ((await stat(path)).size !== file.bytes) return false;
  const local = await EventFile.open(path);
  try {
    return (await local.checksum(0, file.bytes, new Uint8Array(1024 * 1024))) === (file.contentCrc32c ?? file.crc32c);
  } finally {
    await local.close();
  }
}

async function fetchFile(api: Api, experimentId: ExperimentId, file: ListedFile, target: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await fetchOnce(api, experimentId, file, target);
    } catch (error) {
      const passing = error instanceof NetworkError || error instanceof BrokenTransfer || (error instanceof ApiError && error.retryable);
      if (!passing || attempt === maxAttempts) throw error;
    }
  }
}

/** Thrown if the received bytes differ from the bytes on the service. */
class BrokenTransfer extends Error {}

/**
 * Downloads a file once. The file may have grown since it was listed. Only the listed bytes are
 * kept, because only their checksum is known.
 */
async function fetchOnce(api: Api, experimentId: ExperimentId, file: ListedFile, target: string): Promise<void> {
  const temporary = temporaryFor(target);
  const output = await open(temporary, 'wx');
  try {
    let bytes = 0;
    let crc = 0;
    for await (const chunk of api.content(experimentId, file.fileId)) {
      const wanted = chunk.subarray(0, file.bytes - bytes);
      crc = crc32c(wanted, crc);
      bytes += wanted.length;
      await output.writeFile(wanted);
    }
    if (bytes !== file.bytes || crc !== file.contentCrc32c)
      throw new BrokenTransfer(`${fileLabel(file)}: received ${bytes} of ${file.bytes} bytes, or the checksum does not match`);
    await output.sync();
    await output.close();
    await rename(temporary, target);
  } catch (error) {
    await output.close();
    await rm(temporary, { force: true });
    throw error;
  }
}
