import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { blobKey, BlobNotFound, BlobStore } from '#blobs';
import { requireExperiment } from '#experiments';
import type { Caller } from '#http';
import { Problem } from '#model';
import { readBlobKey } from '#series';
import { findBlob, Store } from '#store';

/** Finds blobs by the keys that queries give out, for whoever may see the experiment that a key names, and opens them. */
@Injectable()
export class BlobReader {
  readonly #store: Store;
  readonly #blobs: BlobStore;

  constructor(store: Store, blobs: BlobStore) {
    this.#store = store;
    this.#blobs = blobs;
  }

  /** Throws `blob-not-found`, also where the key is none. */
  async find(caller: Caller, key: string): Promise<{ sha256: Buffer; bytes: number }> {
    const place = readBlobKey(key);
    if (!place) throw noSuchBlob();
    const found = await this.#store.withTenant(
      caller.tenantId,
      async (trx) => {
        await requireExperiment(trx, caller, place.experimentId, 'experiment.view');
        return findBlob(trx, caller.tenantId, place, caller.view);
      },
      { readOnly: true },
    );
    if (!found) throw noSuchBlob();
    return found;
  }

  /** The bytes. They are checked against the hash, so the stream fails before its last piece where they are not the ones that were stored. */
  async open(tenantId: string, sha256: Buffer): Promise<Readable> {
    return this.#blobs.stream(tenantId, blobKey(sha256)).catch((error: unknown) => {
      throw error instanceof BlobNotFound ? noSuchBlob() : error;
    });
  }
}

function noSuchBlob(): Problem {
  return new Problem('blob-not-found', 'There is no blob with this key. A blob-sequences query returns the keys.');
}
