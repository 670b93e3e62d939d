import { crc32c, maskedCrc } from '#records';

/** How many bytes of a file are inspected: enough to recognize other file types. */
export const firstBytesLooked = 512;
/** The length of the first record and its checksum. */
const headerBytes = 12;

/**
 * A file's kind, as its first bytes show: the start of an event file, an empty file, or a file that
 * is not sent.
 */
export type FirstBytes =
  | { readonly kind: 'event-file' }
  | { readonly kind: 'empty' }
  | { readonly kind: 'not-yet'; readonly detail: string }
  | { readonly kind: 'other'; readonly detail: string };

/**
 * Classifies the first bytes of a file, at least {@link headerBytes} if the file is that long. An
 * event file starts with a record: its length and the masked CRC-32C of the length. Without it,
 * nothing in the file is readable, and the file may be anything, such as a private key that a link
 * points to, or the error page of a download.
 */
export function judgeFirstBytes(bytes: Uint8Array): FirstBytes {
  if (bytes.length === 0) return { kind: 'empty' };
  if (isFramed(bytes)) return { kind: 'event-file' };
  if (bytes.subarray(0, headerBytes).every((byte) => byte === 0))
    return { kind: 'not-yet', detail: 'begins with zeros instead of a record; not sent until the record is written' };
  const other = nameOf(bytes);
  if (other !== null) return { kind: 'other', detail: other };
  if (bytes.length < headerBytes)
    return { kind: 'not-yet', detail: `has ${bytes.length} bytes, less than a record; not sent until it grows` };
  return { kind: 'other', detail: 'is not an event file: it does not begin with a record; not sent' };
}

function isFramed(bytes: Uint8Array): boolean {
  if (bytes.length < headerBytes) return false;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return view.getUint32(8, true) === maskedCrc(crc32c(0, bytes, 0, 8));
}

/**
 * Describes a file that has the name of an event file but another format, and how to handle it.
 * Returns null if the format is unknown.
 */
function nameOf(bytes: Uint8Array): string | null {
  const starts = (...expected: number[]): boolean => expected.every((byte, i) => bytes[i] === byte);
  if (starts(0x1f, 0x8b)) return 'is compressed with gzip; not sent. Unpack it first: gunzip';
  if (starts(0x78) && bytes.length > 1 && (0x7800 + bytes[1]!) % 31 === 0)
    return 'is compressed with zlib (TFRecord option ZLIB); not sent. Write or copy it without compression';
  if (starts(0x28, 0xb5, 0x2f, 0xfd)) return 'is compressed with zstd; not sent. Unpack it first: zstd -d';
  if (starts(0xfd, 0x37, 0x7a, 0x58, 0x5a)) return 'is compressed with xz; not sent. Unpack it first: xz -d';
  if (starts(0x42, 0x5a, 0x68)) return 'is compressed with bzip2; not sent. Unpack it first: bunzip2';
  if (starts(0x50, 0x4b, 0x03, 0x04)) return 'is a ZIP archive; not sent. Unpack it first';
  if (starts(0x00, 0x05, 0x16, 0x07)) return 'is macOS metadata of a copied file (AppleDouble); not sent';
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1').trimStart();
  if (text.startsWith('version https://git-lfs.github.com/spec/'))
    return 'is a Git LFS pointer, not the file itself; not sent. Fetch the files first: git lfs pull';
  if (text.startsWith('/annex/objects/'))
    return 'is a git-annex pointer, not the file itself; not sent. Fetch the files first: git annex get';
  if (/^<!doctype html|^<html/i.test(text)) return 'is an HTML page, probably a failed download; not sent. Download the file again';
  if (text.startsWith('<?xml')) return 'is an XML document, probably a failed download; not sent. Download the file again';
  return null;
}
