import { Module } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { HealthModule, HttpModule, Idempotency } from '#http';
import { Dispatcher } from '#jobs';
import { limits } from '#model';
import { Store } from '#store';
import { Acknowledger } from './files/acknowledger.ts';
import { BodyBudget } from './files/body-budget.ts';
import { FileDirectory } from './files/file-directory.ts';
import { FilesController } from './files/files.controller.ts';
import { FreeSpace } from './files/free-space.ts';
import { RangeUpload } from './files/range-upload.ts';

/** Room for eight of the largest bodies at once; with more, senders are held back. */
const maxBodyBytesInMemory = 8 * limits.maxAppendBytes;

/** The front door for bytes. `Store`, `BlobStore`, `Dispatcher` and `PublicUrl` come from a global module of the process. */
@Module({
  imports: [HttpModule, HealthModule],
  controllers: [FilesController],
  providers: [
    Idempotency,
    {
      provide: RangeUpload,
      inject: [Store, BlobStore, Dispatcher],
      useFactory: (store: Store, blobs: BlobStore, dispatcher: Dispatcher) =>
        new RangeUpload({
          store,
          blobs,
          directory: new FileDirectory(store),
          acknowledger: new Acknowledger(store, dispatcher),
          space: new FreeSpace(blobs, limits.minFreeDiskBytes),
          budget: new BodyBudget(maxBodyBytesInMemory),
          idleTimeoutMs: limits.bodyIdleTimeoutMs,
        }),
    },
  ],
})
export class UploadModule {}
