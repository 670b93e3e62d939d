import { sep } from 'node:path';

/** Maximum length of an encoded part: file systems allow 255 bytes, and a suffix may follow. */
const maxPartBytes = 200;

/** Names reserved for devices on Windows, with any extension. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

/**
 * A relative path for a name from the server, with one folder for each `/`-separated part. Names
 * are untrusted: parts with a special meaning in file systems (empty, `.`, `..`, separators, drive
 * letters, devices, control characters, trailing dots and blanks) are percent-encoded, so the
 * result never leaves its base folder, on any system. `%` itself is encoded where it could be
 * ambiguous, so two names never share a path on a case-sensitive file system.
 */
export function safeRelativePath(name: string): string {
  return name.split('/').map(safePart).join(sep);
}

/** One part of a path; see {@link safeRelativePath}. */
export function safePart(part: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  let safe = part.replace(/[\u0000-\u001f\u007f\\:*?"<>|]|%(?=[0-9A-F]{2})/g, encode);
  // An empty part becomes '%', so a plain '%' must become something else.
  if (safe === '') return '%';
  if (safe === '%') return '%25';
  if (/^\.{1,2}$/.test(safe)) return safe.replaceAll('.', '%2E');
  safe = safe.replace(/[. ]+$/, (end) => end.replace(/./g, encode));
  if (windowsDevice.test(safe)) safe = `${encode(safe[0] ?? '')}${safe.slice(1)}`;
  if (!safe.isWellFormed()) safe = safe.replace(/\p{Surrogate}/gu, (half) => `%u${half.charCodeAt(0).toString(16).toUpperCase()}`);
  return Buffer.byteLength(safe) <= maxPartBytes ? safe : shortened(safe, part);
}

function encode(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}

/**
 * Shortens a name that is too long for a file system: its start, and a hash that keeps it unique.
 */
function shortened(safe: string, original: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(original)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  let kept = '';
  for (const character of safe) {
    if (Buffer.byteLength(kept + character) > maxPartBytes - 20) break;
    kept += character;
  }
  return `${kept}%~${hash.toString(16).padStart(16, '0')}`;
}
