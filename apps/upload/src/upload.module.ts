import { Logger, Module } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { HealthModule, HttpModule, Idempotency, UploadLimits } from '#http';
import { Dispatcher } from '#jobs';
import { limits } from '#model';
import { readPendingBytes, Store } from '#store';
import { Admission, leastSegmentBytes } from './admission/admission.ts';
import { AppendSlots } from './admission/append-slots.ts';
import { PendingView } from './admission/pending-view.ts';
import { Acknowledger } from './files/acknowledger.ts';
import { BodyBudget } from './files/body-budget.ts';
import { FileDirectory } from './files/file-directory.ts';
import { FilesController } from './files/files.controller.ts';
import { FreeSpace } from './files/free-space.ts';
import { RangeUpload } from './files/range-upload.ts';

/** The front door for bytes. `Store` (which needs its sweeper's address), `BlobStore`, `Dispatcher`, `UploadLimits` and `PublicUrl` come from a global module of the process. */
@Module({
  imports: [HttpModule, HealthModule],
  controllers: [FilesController],
  providers: [Idempotency, { provide: RangeUpload, inject: [Store, BlobStore, Dispatcher, UploadLimits], useFactory: rangeUpload }],
})
export class UploadModule {}

function rangeUpload(store: Store, blobs: BlobStore, dispatcher: Dispatcher, bounds: UploadLimits): RangeUpload {
  const log = new Logger('upload');
  const pending = new PendingView({
    read: () => readPendingBytes(store.sweeper, leastSegmentBytes),
    onError: (error) => log.warn(`what is pending could not be read: ${String(error)}`),
  });
  return new RangeUpload({
    store,
    blobs,
    directory: new FileDirectory(store),
    acknowledger: new Acknowledger(store, dispatcher),
    space: new FreeSpace(blobs, limits.minFreeDiskBytes),
    budget: new BodyBudget({ maxBytes: bounds.bodyMemoryBytes }),
    admission: new Admission(pending, bounds),
    slots: new AppendSlots(bounds),
    idleTimeoutMs: limits.bodyIdleTimeoutMs,
    bodyTimeoutMs: limits.bodyTimeoutMs,
  });
}
