import type { FileId, RunName } from '#model';
import { fileLabel } from '../local/file-label.ts';

/** A version of a file as reported by the service. */
interface StoredFile {
  readonly fileId: FileId;
  readonly run: RunName;
  readonly name: string;
  readonly version: number;
  readonly copyOf: FileId | null;
  readonly replaced: boolean;
}

/** A file whose points do not count, and why. */
export interface NotCounted {
  readonly file: StoredFile;
  readonly why: string;
}

/**
 * The files whose points do not count: copies of another file of their run, and versions that a
 * newer version replaced.
 */
export function notCounted(files: readonly StoredFile[]): NotCounted[] {
  const byId = new Map(files.map((file) => [file.fileId, file]));
  return files.flatMap((file) => {
    const original = file.copyOf === null ? null : byId.get(file.copyOf);
    if (original) return [{ file, why: `a copy of ${fileLabel(original)}; its points are counted once` }];
    return file.replaced ? [{ file, why: `a newer version replaced version ${file.version}; its points are superseded` }] : [];
  });
}
