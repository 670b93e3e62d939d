import type { BlobStore } from '#blobs';
import { noSuchExperiment } from '#experiments';
import { prefixCrc32c } from '#originals';
import { ensureRun, type FileVersion, insertFile, readFileVersions, type TenantTransaction } from '#store';
import type { FileRoom } from '../admission/quota-admission.ts';

/** A file as a client announces it. Names are checked already. */
export interface FileAnnouncement {
  readonly experimentId: string;
  readonly run: string;
  readonly name: string;
  /** What the client knows of its own file, to tell versions apart. */
  readonly prefix: { readonly bytes: number; readonly crc32c: number } | null;
  readonly newVersion: boolean;
  /** The upload began after a run of this name was deleted, and takes the name again. */
  readonly afterDeletion: boolean;
}

/** The version of the file that the client is to append to. */
export interface OpenedFile extends FileVersion {
  readonly created: boolean;
  readonly runId: string;
}

/**
 * Finds the version of a file that the announcement means, or makes one.
 *
 * A version whose first `prefix.bytes` bytes have another checksum is another file under the same name. Of the others, one that has all these
 * bytes is surely the file; else it is the newest of which nothing speaks against it (it may be shorter: the client compares its own bytes with
 * the checksum in the answer). Without a prefix it is the newest. One that has to be made takes its place in `room`.
 */
export async function openFile(
  trx: TenantTransaction,
  blobs: BlobStore,
  tenantId: string,
  announced: FileAnnouncement,
  room: FileRoom,
): Promise<OpenedFile> {
  const { experimentId, run, name } = announced;
  const runId = await ensureRun(trx, tenantId, experimentId, run, { name, afterDeletion: announced.afterDeletion });
  if (runId === null) throw noSuchExperiment();
  for (;;) {
    const versions = await readFileVersions(trx, tenantId, runId, name);
    if (!announced.newVersion) {
      const known = await choose(trx, blobs, tenantId, versions, announced.prefix);
      if (known) return { ...known, runId, created: false };
    }
    room.take();
    const version = (versions[0]?.version ?? 0) + 1;
    const fileId = await insertFile(trx, tenantId, { experimentId, runId, name, version });
    if (fileId !== null) return { fileId, version, durableOffset: 0, crc32c: 0, runId, created: true };
    // Another machine made this version at the same moment, and has committed: look again.
  }
}

async function choose(
  trx: TenantTransaction,
  blobs: BlobStore,
  tenantId: string,
  versions: readonly FileVersion[],
  prefix: FileAnnouncement['prefix'],
): Promise<FileVersion | null> {
  if (!prefix) return versions[0] ?? null;
  for (const version of versions) {
    if (version.durableOffset < prefix.bytes) continue;
    const crc = await prefixCrc32c({ trx, blobs, tenantId, fileId: version.fileId }, prefix.bytes);
    // Where it cannot be known any more, bytes were removed on purpose: another version would bring them back.
    if (crc === null || crc === prefix.crc32c) return version;
  }
  return versions.find(({ durableOffset }) => durableOffset < prefix.bytes) ?? null;
}
