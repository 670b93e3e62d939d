import type { BlobStore } from '#blobs';
import { noSuchExperiment } from '#experiments';
import type { ExperimentId, RunId } from '#model';
import { prefixCrc32c } from '#originals';
import { ensureRun, type FileVersion, insertFile, readFileVersions, type TenantScope } from '#store';
import type { FileReservation } from '../admission/quota-admission.ts';

/** A file, as a client announces it. Names are already validated. */
export interface FileAnnouncement {
  readonly experimentId: ExperimentId;
  readonly run: string;
  readonly name: string;
  /** The client's checksum of its own file, which distinguishes versions. */
  readonly prefix: { readonly bytes: number; readonly crc32c: number } | null;
  readonly newVersion: boolean;
  /** Whether the upload started after a run with this name was deleted, and reuses the name. */
  readonly afterDeletion: boolean;
}

/** The version of the file to which the client must append. */
export interface OpenedFile extends FileVersion {
  readonly created: boolean;
  readonly runId: RunId;
}

/**
 * Finds the file version to which the announcement refers, or creates one.
 *
 * A version whose first `prefix.bytes` bytes have another checksum is a different file with the
 * same name. Among the other versions, a version that has all of these bytes is certainly the right
 * one. Otherwise, the newest candidate is used, which may be shorter; the client compares its own
 * bytes with the checksum in the response. Without a prefix, the newest version is used. A created
 * version counts against `reservation`.
 */
export async function openFile(
  scope: TenantScope,
  blobs: BlobStore,
  announced: FileAnnouncement,
  reservation: FileReservation,
): Promise<OpenedFile> {
  const { experimentId, run, name } = announced;
  const runId = await ensureRun(scope, experimentId, run, { name, afterDeletion: announced.afterDeletion });
  if (runId === null) throw noSuchExperiment();
  for (;;) {
    const versions = await readFileVersions(scope, runId, name);
    if (!announced.newVersion) {
      const known = await choose(scope, blobs, versions, announced.prefix);
      if (known) return { ...known, runId, created: false };
    }
    reservation.take();
    const version = (versions[0]?.version ?? 0) + 1;
    const fileId = await insertFile(scope, { experimentId, runId, name, version });
    if (fileId !== null) return { fileId, version, durableOffset: 0, crc32c: 0, runId, created: true };
    // Another client created this version at the same moment and has committed, so it is looked up
    // again.
  }
}

async function choose(
  scope: TenantScope,
  blobs: BlobStore,
  versions: readonly FileVersion[],
  prefix: FileAnnouncement['prefix'],
): Promise<FileVersion | null> {
  if (!prefix) return versions[0] ?? null;
  for (const version of versions) {
    if (version.durableOffset < prefix.bytes) continue;
    const crc = await prefixCrc32c({ scope, blobs, fileId: version.fileId }, prefix.bytes);
    // If the checksum is no longer known, bytes were removed on purpose. A new version would
    // restore them.
    if (crc === null || crc === prefix.crc32c) return version;
  }
  return versions.find(({ durableOffset }) => durableOffset < prefix.bytes) ?? null;
}
