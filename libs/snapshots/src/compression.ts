import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** How chunks are compressed. */
export const compressions = ['none', 'gzip', 'snappy', 'zstd'] as const;

/** One of {@link compressions}. */
export type Compression = (typeof compressions)[number];

/**
 * The codec that `auto` selects: the best tradeoff of size and speed measured in docs/snapshots.md.
 */
export const autoCompression: Compression = 'zstd';

const gzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gzip);
const gunzip = promisify<zlib.InputType, Buffer>(zlib.gunzip);
const zstd = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdCompress);
const unzstd = promisify<zlib.InputType, Buffer>(zlib.zstdDecompress);

/** Compresses the bytes of a chunk. */
export async function compress(compression: Compression, bytes: Uint8Array): Promise<Uint8Array> {
  switch (compression) {
    case 'none':
      return bytes;
    case 'gzip':
      return gzip(bytes, { level: 1 });
    case 'snappy': {
      const { snappyCompress } = await import('#parquet'); // on demand, see libs/parquet/README.md
      return snappyCompress(bytes);
    }
    case 'zstd':
      return zstd(bytes, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } });
  }
}

/** Returns the `length` original bytes. */
export async function decompress(compression: Compression, bytes: Uint8Array, length: number): Promise<Uint8Array> {
  switch (compression) {
    case 'none':
      return bytes;
    case 'gzip':
      return gunzip(bytes);
    case 'snappy': {
      const { snappyUncompress } = await import('#parquet');
      const output = new Uint8Array(length);
      snappyUncompress(bytes, output);
      return output;
    }
    case 'zstd':
      return unzstd(bytes);
  }
}
