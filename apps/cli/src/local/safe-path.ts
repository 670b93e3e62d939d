import { sep } from 'node:path';

/** Longest encoded part: file systems take 255 bytes, and a suffix may follow. */
const maxPartBytes = 200;

/** Names that Windows gives to devices, with any extension. */
const windowsDevice = /^(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\..*)?$/i;

/**
 * A relative path for a name that came from the server, one folder for each `/`-separated part. Names are untrusted: parts that mean
 * something to a file system (empty, `.`, `..`, separators, drive letters, devices, control characters, trailing dots and blanks) are
 * percent-encoded, so that the result never leaves the folder that it is joined to, on any system. `%` itself is encoded where another
 * name could be meant, so two names never meet in one path on a file system that tells cases apart.
 */
export function safeRelativePath(name: string): string {
  return name.split('/').map(safePart).join(sep);
}

/** One part of a path; see {@link safeRelativePath}. */
export function safePart(part: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  let safe = part.replace(/[\u0000-\u001f\u007f\\:*?"<>|]|%(?=[0-9A-F]{2})/g, encode);
  // The empty part takes '%', so that has to give way.
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

/** Too long for a file system: its beginning, and a hash that keeps it apart from others. */
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
