import { formatShort } from '#charts';

/** Bytes with an SI prefix: 4.1 kB. */
export function formatBytes(bytes: number): string {
  const text = formatShort(bytes);
  return /[a-z]$/i.test(text) ? `${text}B` : `${text} B`;
}
