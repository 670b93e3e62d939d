/**
 * How a blob may be displayed: its type as detected from its bytes, never as declared, and whether
 * a browser may display it inline.
 */
export interface BlobType {
  readonly contentType: string;
  readonly inline: boolean;
}

/** Bytes of a blob that {@link sniffBlob} inspects. */
export const sniffedBytes = 512;

const attachment: BlobType = { contentType: 'application/octet-stream', inline: false };

/**
 * Raster images, audio and video by their first bytes (WHATWG MIME Sniffing, 6.1 and 6.2). None of
 * these types can carry a script.
 */
const signatures: readonly { readonly contentType: string; readonly at: readonly (readonly [offset: number, bytes: string])[] }[] = [
  { contentType: 'image/png', at: [[0, '\x89PNG\r\n\x1a\n']] },
  { contentType: 'image/jpeg', at: [[0, '\xff\xd8\xff']] },
  { contentType: 'image/gif', at: [[0, 'GIF87a']] },
  { contentType: 'image/gif', at: [[0, 'GIF89a']] },
  {
    contentType: 'image/webp',
    at: [
      [0, 'RIFF'],
      [8, 'WEBPVP'],
    ],
  },
  {
    contentType: 'audio/wav',
    at: [
      [0, 'RIFF'],
      [8, 'WAVE'],
    ],
  },
  { contentType: 'audio/flac', at: [[0, 'fLaC']] },
  { contentType: 'audio/ogg', at: [[0, 'OggS\0']] },
  { contentType: 'audio/mpeg', at: [[0, 'ID3']] },
  { contentType: 'video/mp4', at: [[4, 'ftyp']] },
  { contentType: 'video/webm', at: [[0, '\x1aE\xdf\xa3']] },
];

/**
 * The type of a blob from its first {@link sniffedBytes} and its length. Raster images, audio and
 * video may be displayed. Everything else is a download: short plain text as text, the rest (svg,
 * html, xml, pdf, protocol buffers, unknown types) as bytes.
 */
export function sniffBlob(head: Uint8Array, bytes: number): BlobType {
  const text = Buffer.from(head.buffer, head.byteOffset, head.byteLength).toString('latin1');
  for (const { contentType, at } of signatures) {
    if (at.every(([offset, expected]) => text.startsWith(expected, offset))) return { contentType, inline: true };
  }
  return bytes === head.length && isPlainText(head) ? { contentType: 'text/plain; charset=utf-8', inline: false } : attachment;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Text that is completely in the inspected bytes and has no markup: the width and height of an
 * image, a label.
 */
function isPlainText(bytes: Uint8Array): boolean {
  try {
    // eslint-disable-next-line no-control-regex -- control characters are what this looks for
    return /^[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f<>%]*$/.test(utf8.decode(bytes));
  } catch {
    return false; // not UTF-8
  }
}
