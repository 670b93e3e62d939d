import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { blobKey, BlobStore } from '#blobs';
import { requireExperiment } from '#experiments';
import type { Caller } from '#http';
import { Problem, type TenantId } from '#model';
import { bytesLost } from '#originals';
import { readBlobKey } from '#series';
import { findBlob, Store } from '#store';

/**
 * Finds and opens blobs by the keys that queries return, for callers who may see the key's
 * experiment.
 */
@Injectable()
export class BlobReader {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  /** Throws `blob-not-found`, even for an invalid key. */
  async find(caller: Caller, key: string): Promise<{ sha256: Buffer; bytes: number }> {
    const place = readBlobKey(key);
    if (!place) throw noSuchBlob();
    const found = await this.#store.withTenant(
      caller.tenantId,
      async (scope) => {
        await requireExperiment(scope, caller, place.experimentId, 'experiment.view');
        return findBlob(scope, place, caller.view);
      },
      { readOnly: true },
    );
    if (!found) throw noSuchBlob();
    return found;
  }

  /**
   * The bytes, verified against the hash: if they differ from the stored bytes, the stream fails
   * before its last piece.
   */
  async open(tenantId: TenantId, sha256: Buffer): Promise<Readable> {
    return this.#blobs.stream(tenantId, blobKey(sha256)).catch(bytesLost('The bytes of this blob'));
  }
}

function noSuchBlob(): Problem {
  return new Problem('blob-not-found', 'There is no blob with this key. A blob-sequences query returns the keys.');
}
