import type { Hash } from 'node:crypto';
import type { BlobStore } from '#blobs';
import type { ExperimentId, FileId, RunName } from '#model';
import { bytesLost, type InTenant, keptCrc32c, readFileRange } from '#originals';
import { crc32c } from '#records';
import { type ExperimentFile, listFiles, listLostFiles, type TenantScope } from '#store';
import type { ExportedFile, LeftOutFile } from './export-elements.ts';

/** Which event files to export: of all runs, or of the named runs. */
export interface OriginalSelection {
  readonly experimentId: ExperimentId;
  /** By name. Null means all. */
  readonly runs: readonly RunName[] | null;
}

/** The event files that an export will have. */
export interface OriginalSurvey {
  readonly files: number;
  readonly bytes: number;
  /** Files that cannot be exported. */
  readonly leftOut: number;
}

/**
 * Access to the bytes of event files. Transactions are short, so files that are joined between
 * transactions are found.
 */
export interface OriginalSource {
  readonly inTenant: InTenant;
  readonly blobs: BlobStore;
}

/** A file, and why it cannot be exported. The reason is null if it can be exported. */
interface Candidate {
  readonly file: ExperimentFile;
  readonly reason: LeftOutFile['reason'] | null;
}

const filesAtOnce = 1_000;
const olderVersions = '.older-versions';

/** Counts the event files, and adds everything that determines their bytes to `hash`. */
export async function surveyOriginals(scope: TenantScope, selection: OriginalSelection, hash: Hash): Promise<OriginalSurvey> {
  const survey = { files: 0, bytes: 0, leftOut: 0 };
  for await (const { file, reason } of candidates(scope, selection)) {
    const { fileId, run, name, version, bytes, rewrittenBytes } = file;
    const crc = reason === null ? contentCrc32c(file) : null;
    hash.update(`${JSON.stringify([fileId, run, name, version, bytes, rewrittenBytes, crc, reason])}\n`);
    if (reason === null) {
      survey.files++;
      survey.bytes += bytes;
    } else survey.leftOut++;
  }
  return survey;
}

/**
 * The durable bytes of every event file, in the order of announcement. Files that cannot be
 * exported are passed to `onLeftOut`. Throws `stored-bytes-lost` if stored bytes turn out to be
 * lost.
 */
export async function* originalFiles(
  scope: TenantScope,
  selection: OriginalSelection,
  source: OriginalSource,
  onLeftOut: (file: LeftOutFile) => void,
): AsyncGenerator<ExportedFile> {
  const latest = await latestVersions(scope, selection);
  for await (const { file, reason } of candidates(scope, selection)) {
    const { run, name, version } = file;
    if (reason !== null) {
      onLeftOut({ run, name, version, reason });
      continue;
    }
    yield {
      path: pathOf(file, latest.get(keyOf(file)) === version),
      original: { run, name, version, rewritten: file.rewrittenBytes > 0 },
      pieces: piecesOf(scope, file, source),
    };
  }
}

/** The number of the newest version of each file that has several versions. */
async function latestVersions(scope: TenantScope, selection: OriginalSelection): Promise<Map<string, number>> {
  const latest = new Map<string, number>();
  for await (const { file } of candidates(scope, selection)) latest.set(keyOf(file), Math.max(file.version, latest.get(keyOf(file)) ?? 0));
  return latest;
}

async function* candidates(scope: TenantScope, { experimentId, runs }: OriginalSelection): AsyncGenerator<Candidate> {
  const wanted = runs && new Set(runs);
  for (let after: FileId | null = null; ;) {
    const page: ExperimentFile[] = (await listFiles(scope, experimentId, filesAtOnce, after, null)) ?? [];
    const lost = await listLostFiles(
      scope,
      page.map(({ fileId }) => fileId),
    );
    for (const file of page) {
      if (wanted && !wanted.has(file.run)) continue;
      yield { file, reason: !file.originalKept ? 'original-gone' : lost.has(file.fileId) ? 'stored-bytes-lost' : null };
    }
    if (page.length < filesAtOnce) return;
    after = page.at(-1)!.fileId;
  }
}

async function* piecesOf(scope: TenantScope, file: ExperimentFile, source: OriginalSource): AsyncGenerator<Uint8Array> {
  const { tenantId } = scope;
  const { fileId, run, name, bytes } = file;
  let crc = 0;
  try {
    for await (const piece of readFileRange({ ...source, tenantId, fileId }, { start: 0, end: bytes })) {
      crc = crc32c(crc, piece);
      yield piece;
    }
  } catch (error) {
    bytesLost(`Bytes of the file ${JSON.stringify(name)} of the run ${JSON.stringify(run)}`)(error);
  }
  // Deleting points rewrites files: bytes from before and after a rewrite must not be mixed.
  if (crc !== contentCrc32c(file)) throw new Error(`file ${fileId} changed while it was being exported`);
}

function contentCrc32c(file: ExperimentFile): number {
  return keptCrc32c({ ...file, durableOffset: file.bytes });
}

function keyOf({ run, name }: ExperimentFile): string {
  return `${run}\0${name}`;
}

/** Like the paths of `plotline export`, but without escapes. */
function pathOf({ run, name, version }: ExperimentFile, isLatest: boolean): string {
  const path = run === '.' ? name : `${run}/${name}`;
  return isLatest ? path : `${olderVersions}/${path}.v${version}`;
}
