import { Injectable, type PipeTransform } from '@nestjs/common';
import { frozen, noSuchExperiment } from '#experiments';
import { type ExperimentId, type FileId, isFileId, Problem, type RunId, type TenantId } from '#model';
import { type LedgerFile, readFile, runDeleted, type Store } from '#store';

/**
 * The immutable run and experiment of a file, and the file's durable offset at the last lookup,
 * which can only grow.
 */
export interface FilePlace {
  readonly experimentId: ExperimentId;
  readonly runId: RunId;
  durableOffset: number;
}

/**
 * Caches files that are being uploaded, so that an append needs one transaction instead of two.
 * Cached files may no longer exist.
 */
export class FileDirectory {
  readonly #store: Store;
  readonly #places = new Map<string, FilePlace>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Throws `file-not-found` or `experiment-not-found`. */
  async find(tenantId: TenantId, fileId: FileId): Promise<FilePlace> {
    return this.#places.get(`${tenantId}/${fileId}`) ?? this.refresh(tenantId, fileId);
  }

  /** Like `find`, but always reads from the ledger. */
  async refresh(tenantId: TenantId, fileId: FileId): Promise<FilePlace> {
    const { experimentId, runId, durableOffset } = await findFile(this.#store, tenantId, fileId);
    const place = { experimentId, runId, durableOffset };
    this.#remember(`${tenantId}/${fileId}`, place);
    return place;
  }

  /**
   * Caches a file that was just announced, so that its first append needs no lookup in the ledger.
   */
  note(tenantId: TenantId, fileId: FileId, place: FilePlace): void {
    this.#remember(`${tenantId}/${fileId}`, place);
  }

  forget(tenantId: TenantId, fileId: FileId): void {
    this.#places.delete(`${tenantId}/${fileId}`);
  }

  #remember(key: string, place: FilePlace): void {
    const oldest = this.#places.keys().next();
    if (this.#places.size >= maxPlaces && !oldest.done) this.#places.delete(oldest.value);
    this.#places.set(key, place);
  }
}

/** Maximum number of cached files, about 2 MB. */
const maxPlaces = 10_000;

/** Reads a file from the ledger. Throws `file-not-found` or `experiment-not-found`. */
export async function findFile(store: Store, tenantId: TenantId, fileId: FileId): Promise<LedgerFile> {
  const file = await store.withTenant(tenantId, (scope) => readFile(scope, fileId), { readOnly: true });
  if (!file) throw fileNotFound();
  if (file.experimentDeleted) throw noSuchExperiment();
  if (file.runDeleted) throw runDeleted();
  if (file.frozen) throw frozen();
  return file;
}

/** Parses the file id in a path. Throws `file-not-found`, because ids are opaque to clients. */
@Injectable()
export class ParseFileId implements PipeTransform<string, FileId> {
  transform(text: string): FileId {
    if (!isFileId(text)) throw fileNotFound();
    return text;
  }
}

/** The error for a file that does not exist or belongs to another workspace. */
export function fileNotFound(): Problem {
  return new Problem('file-not-found', 'There is no such file. Announce it with POST /api/v1/experiments/{experiment}/files.');
}
