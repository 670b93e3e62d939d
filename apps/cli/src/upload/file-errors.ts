import { ApiError } from '../http/api-error.ts';

/** Thrown if a file does not start with a record: its bytes are not sent. */
export class NoEventFile extends Error {
  override readonly name = 'NoEventFile';

  constructor() {
    super('no longer begins with an event file record; not sent');
  }
}

/** Whether an error affects only one file, so the other files can continue. */
export function concernsOneFile(error: unknown): error is Error {
  // 410: the run was deleted, which invalidates the announcement.
  if (error instanceof ApiError) return [400, 410, 413, 415, 422].includes(error.status) || error.code === 'file-not-found';
  if (error instanceof NoEventFile) return true;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return (
    error instanceof Error &&
    syscall !== undefined &&
    ['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'EIO', 'ELOOP', 'EISDIR', 'ESTALE'].includes(code ?? '')
  );
}
