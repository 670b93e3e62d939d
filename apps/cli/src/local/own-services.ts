import { createHash } from 'node:crypto';
import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Host } from '../host.ts';
import { stateFolder } from './folders.ts';

/**
 * The server and token that a service wrote to its data folder, or why an existing file is ignored.
 */
export type LocalService =
  | { readonly kind: 'service'; readonly server: string; readonly token: string }
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'none' };

/**
 * Reads the `credentials.json` of a data folder. Anyone could put such a file into a repository or
 * an archive to choose the server that receives the next upload. A file is therefore accepted only
 * if the user owns it and nobody else can read it. Unless the user specified the folder (`named`),
 * a service of this user must also have recorded in the user's state folder that it wrote exactly
 * these bytes.
 */
export function readLocalService(host: Pick<Host, 'env'>, path: string, named: boolean): LocalService {
  let content: string;
  try {
    const opened = openOwn(path, named);
    if (opened.kind !== 'open') return opened;
    try {
      content = readFileSync(opened.fd, 'utf8');
    } finally {
      closeSync(opened.fd);
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'none' };
    return { kind: 'refused', why: `it cannot be read (${code ?? (error as Error).message})` };
  }
  const parsed = parse(content);
  if (!parsed) return { kind: 'none' }; // e.g. truncated by a full disk
  if (!named && !isNoted(host, realpathSync(path), content))
    return { kind: 'refused', why: 'none of your services wrote it; the folder may come from someone else' };
  return { kind: 'service', ...parsed };
}

type Opened = { readonly kind: 'open'; readonly fd: number } | { readonly kind: 'refused'; readonly why: string };

/** Checks the open file, because its name may refer to another file a moment later. */
function openOwn(path: string, named: boolean): Opened {
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const reject = (why: string): Opened => {
    closeSync(fd);
    return { kind: 'refused', why };
  };
  const { mode, uid, size } = fstatSync(fd);
  if ((mode & constants.S_IFMT) !== constants.S_IFREG) return reject('it is not a regular file');
  if (size > maxBytes) return reject('it is too large');
  const me = process.getuid?.();
  if (me !== undefined) {
    // Root can read everything, and starts services as other users.
    if (uid !== me && !(named && me === 0)) return reject('it belongs to another user');
    if ((mode & 0o077) !== 0) return reject(`its mode is ${(mode & 0o777).toString(8)}; a service writes it with mode 600`);
  }
  return { kind: 'open', fd };
}

/** A server address and a token are a few hundred bytes. */
const maxBytes = 64 * 1024;

function isNoted(host: Pick<Host, 'env'>, file: string, content: string): boolean {
  const folder = join(stateFolder(host), 'services');
  const sha256 = createHash('sha256').update(content).digest('hex');
  try {
    return readdirSync(folder).some((name) => {
      if (!/^[0-9a-f]{32}\.json$/.test(name)) return false;
      const note = toRecord(readFileSync(join(folder, name), 'utf8'));
      return note?.['file'] === file && note['sha256'] === sha256;
    });
  } catch {
    return false; // no notes
  }
}

function parse(content: string): { server: string; token: string } | null {
  const value = toRecord(content);
  if (typeof value?.['server'] !== 'string' || typeof value['token'] !== 'string') return null;
  return { server: value['server'], token: value['token'] };
}

function toRecord(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}
