import { promisify } from 'node:util';
import { isMainThread } from 'node:worker_threads';
import { constants, zstdDecompress, zstdDecompressSync } from 'node:zlib';

const decompress = promisify(zstdDecompress);

/**
 * Below this size, passing the work to another thread costs more than the work itself. This is an
 * estimate: either takes about 20 µs.
 */
const maxSyncBytes = 64 * 1024;

/**
 * Decodes one of our zstd frames, to at most `maxBytes` bytes. On the main thread, decodes off the
 * event loop, which other work needs.
 */
export async function unzstd(stored: Uint8Array, maxBytes: number): Promise<Buffer> {
  const options = {
    maxOutputLength: Math.max(maxBytes, 1),
    chunkSize: Math.min(Math.max(maxBytes, 64), 1024 * 1024),
    params: { [constants.ZSTD_d_windowLogMax]: 24 },
  };
  return maxBytes <= maxSyncBytes || !isMainThread ? zstdDecompressSync(stored, options) : decompress(stored, options);
}
