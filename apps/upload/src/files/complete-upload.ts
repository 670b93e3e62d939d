import { noSuchExperiment } from '#experiments';
import { crc32cHex, type FileId, limits, Problem } from '#model';
import { completeFile, lockFiles, readAcknowledgedEpoch, readLastEpoch, readRangesFrom, runDeleted, type TenantScope } from '#store';
import { fileNotFound } from './file-directory.ts';
import { joinTouching, type KeptRange } from './plan-appends.ts';

/** A complete file. Everything acknowledged up to `epoch` includes the whole file. */
export interface CompletedFile {
  readonly version: number;
  readonly bytes: number;
  readonly crc32c: number;
  readonly epoch: number;
}

/**
 * Marks a file as complete if exactly `bytes` of its bytes are durable and have this checksum.
 * Idempotent. Throws `incomplete-file` while bytes are missing, and `checksum-mismatch` if the file
 * is a different one or has grown.
 */
export async function completeUpload(scope: TenantScope, fileId: FileId, claim: { bytes: number; crc32c: number }): Promise<CompletedFile> {
  const [file] = await lockFiles(scope, [fileId]);
  if (!file) throw fileNotFound();
  if (file.experimentDeleted) throw noSuchExperiment();
  if (file.runDeleted) throw runDeleted();
  const { durableOffset, crc32c, version } = file;
  const kept = await readRangesFrom(scope, [{ fileId, from: durableOffset }]);
  if (durableOffset < claim.bytes || kept.length > 0) {
    const ranges = joinTouching(kept);
    throw new Problem('incomplete-file', whatIsMissing(durableOffset, claim.bytes, ranges), {
      extra: { offset: durableOffset, ranges, window: limits.uploadWindowBytes },
    });
  }
  if (durableOffset > claim.bytes || crc32c !== claim.crc32c) {
    throw new Problem(
      'checksum-mismatch',
      `The file has ${durableOffset} durable bytes with the CRC-32C ${crc32cHex(crc32c)}; the request claims ${claim.bytes} with ${crc32cHex(claim.crc32c)}.`,
      {
        extra: { offset: durableOffset, crc32c: crc32cHex(crc32c) },
      },
    );
  }
  await completeFile(scope, fileId, durableOffset);
  const epoch = (await readLastEpoch(scope, fileId)) ?? (await readAcknowledgedEpoch(scope, file.experimentId));
  return { version, bytes: durableOffset, crc32c, epoch };
}

/**
 * Ranges beyond the prefix belong to the file too. While there are any, the file does not end at
 * its durable offset.
 */
function whatIsMissing(durableOffset: number, claimedBytes: number, kept: readonly KeptRange[]): string {
  const durable = `The file is durable up to ${durableOffset}`;
  const [first] = kept;
  if (!first) return `${durable}; send the missing bytes up to ${claimedBytes} first.`;
  const more = kept.length > 1 ? ` and ${kept.length - 1} more` : '';
  return (
    `${durable}, and bytes after a gap were received: from ${first.offset} up to ${first.offset + first.length}${more} (see ranges). ` +
    `Send the missing bytes from ${durableOffset} up to ${first.offset} first; or, if the file does not have these bytes, announce a new version of it.`
  );
}
