import { promisify } from 'node:util';
import { constants, zstdCompress } from 'node:zlib';
import { crc32c } from '@node-rs/crc32';
import type { BlobStore } from '#blobs';
import { type ExperimentId, limits } from '#model';
import {
  addStoredBytes,
  type CopiedLog,
  copyLogIndex,
  insertSegments,
  keepCopiedFile,
  readAcknowledgedEpoch,
  removeSegments,
  type TenantScope,
} from '#store';
import { OriginalDamaged } from './original-index.ts';
import { readFileBytes } from './read-file-range.ts';

/** Bytes of text per segment, before compression reduces them to about a tenth. */
const segmentBytes = 512 * 1024;
const compress = promisify(zstdCompress);
const options = { params: { [constants.ZSTD_c_compressionLevel]: 3 } };

/**
 * Copies the logs of an experiment to its copy, which then no longer needs the source. The text is
 * stored in rows, because the process that creates copies may lack permission to write objects; a
 * worker joins complete logs into objects later. Copies up to `maxBytes` of text, shortest logs
 * first. The remaining logs, and logs with lost bytes, are copied without text.
 */
export async function copyLogs(
  { scope, blobs }: { readonly scope: TenantScope; readonly blobs: BlobStore },
  { from, to }: { readonly from: ExperimentId; readonly to: ExperimentId },
  maxBytes: number = limits.maxSnapshotLogBytes,
): Promise<void> {
  const logs = await copyLogIndex(scope, { from, to });
  if (logs.length === 0) return;
  const epoch = await readAcknowledgedEpoch(scope, to);
  let bytes = 0;
  for (const log of logs.sort((a, b) => a.bytes - b.bytes || a.fileId.localeCompare(b.fileId))) {
    if (bytes + log.bytes > maxBytes) break;
    if (await copyText({ scope, blobs }, log, epoch)) bytes += log.bytes;
  }
  await addStoredBytes(scope, to, bytes);
}

/** Returns whether the text could be read. */
async function copyText(
  { scope, blobs }: { readonly scope: TenantScope; readonly blobs: BlobStore },
  { fileId, sourceFileId, bytes }: CopiedLog,
  epoch: number,
): Promise<boolean> {
  try {
    let offset = 0;
    for await (const piece of readFileBytes({ scope, blobs, fileId: sourceFileId, start: 0, end: bytes })) {
      for (let at = 0; at < piece.length; at += segmentBytes) {
        const text = piece.subarray(at, at + segmentBytes);
        const packed = await compress(text, options);
        const stored = packed.length < text.length ? ({ body: packed, encoding: 1 } as const) : ({ body: text, encoding: 0 } as const);
        await insertSegments(scope, [{ fileId, offset, length: text.length, crc32c: crc32c(text), epoch, objectKey: null, ...stored }]);
        offset += text.length;
      }
    }
    await keepCopiedFile(scope, fileId);
    return true;
  } catch (error) {
    if (!(error instanceof OriginalDamaged)) throw error;
    await removeSegments(scope, [fileId], bytes); // of at least one byte each
    return false;
  }
}
