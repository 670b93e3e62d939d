import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { columnsCoding, columnsVersion, encodeBlock } from '#columns';

/** A body as sent. */
export interface EncodedBody {
  readonly body: Uint8Array;
  readonly encoding: 'zstd' | typeof columnsCoding | null;
}

/** How an upload is compressed: the choices of `--compress`. */
export const compressChoices = ['auto', 'columns', 'zstd', 'none'] as const;
export type CompressChoice = (typeof compressChoices)[number];

/** Smaller bodies are not worth the thread pool. The value is a guess. */
const minCompressedBytes = 1024;
/**
 * Smaller ranges, such as the seconds of a live run, contain few records per tag: the templates
 * would cost more than the columns save.
 */
const minColumnsBytes = 8 * 1024;
/** A range that compresses to more than this fraction is sent uncompressed. */
const worthwhile = 0.95;

/** Compresses bodies, or leaves them unchanged. */
export class Encoder {
  readonly #zstd: ((body: Uint8Array, options: zlib.ZstdOptions) => Promise<Buffer>) | null;
  #columns: boolean;

  /**
   * `auto` compresses unless the server is on this machine, where copying over loopback is faster
   * than any compression. Columns reduce event files to about a twelfth, if the server reads them:
   * `serverColumns` is its `columnsVersion`, 0 if it has none. zstd level 1 reduces them to about a
   * fifth (13.4 of 62.5 bytes per point).
   */
  constructor(choice: CompressChoice, origin: string, serverColumns: number) {
    // Not available before Node 22.15.
    const available = typeof zlib.zstdCompress === 'function';
    const wanted = choice === 'auto' ? !isLoopback(new URL(origin).hostname) : choice !== 'none';
    this.#zstd = wanted && available ? promisify(zlib.zstdCompress) : null;
    this.#columns = this.#zstd !== null && choice !== 'zstd' && serverColumns >= columnsVersion;
  }

  /** Encodes a range of a file. `crc32c` is the checksum of `body`. */
  async encode(body: Uint8Array, crc32c: number): Promise<EncodedBody> {
    if (this.#columns && body.length >= minColumnsBytes) {
      const block = await encodeBlock(body, crc32c);
      if (block && block.length < body.length * worthwhile) return { body: block, encoding: columnsCoding };
    }
    if (!this.#zstd || body.length < minCompressedBytes) return { body, encoding: null };
    const compressed = await this.#zstd(body, { params: { [zlib.constants.ZSTD_c_compressionLevel]: 1 } });
    return compressed.length < body.length * worthwhile ? { body: compressed, encoding: 'zstd' } : { body, encoding: null };
  }

  /**
   * Called when the server rejects the encoding of a body: the encoding is not used again.
   * Processes behind one address may be older than the process that reported the limits. Returns
   * false if the body was sent unencoded.
   */
  rejected(encoding: EncodedBody['encoding']): boolean {
    if (encoding !== columnsCoding) return false;
    this.#columns = false;
    return true;
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname.endsWith('.localhost') || hostname === '[::1]' || hostname.startsWith('127.');
}
