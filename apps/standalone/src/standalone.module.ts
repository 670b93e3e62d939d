import { type DynamicModule, Module } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { PublicUrl, UploadLimits } from '#http';
import { Dispatcher } from '#jobs';
import { PlatformModule } from '#service';
import { Store } from '#store';
import { IngestHealthModule, IngestHealthSettings } from '../../ingest/src/ingest-health.module.ts';
import { IngestModule, IngestSettings } from '../../ingest/src/ingest.module.ts';
import { ReadModule } from '../../read/src/read.module.ts';
import { UploadModule } from '../../upload/src/upload.module.ts';

/** The adapters that the apps' modules work with. */
export interface Platform {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly dispatcher: Dispatcher;
  readonly publicUrl: PublicUrl;
  readonly uploadLimits: UploadLimits;
  readonly ingest: IngestSettings;
  readonly ingestHealth: IngestHealthSettings;
}

/** Upload, ingest and read in one process. */
@Module({})
export class StandaloneModule {
  static of(platform: Platform): DynamicModule {
    const parts = PlatformModule.of(
      { provide: Store, useValue: platform.store },
      { provide: BlobStore, useValue: platform.blobs },
      { provide: Dispatcher, useValue: platform.dispatcher },
      { provide: PublicUrl, useValue: platform.publicUrl },
      { provide: UploadLimits, useValue: platform.uploadLimits },
      { provide: IngestSettings, useValue: platform.ingest },
      { provide: IngestHealthSettings, useValue: platform.ingestHealth },
    );
    return { module: StandaloneModule, imports: [parts, UploadModule, ReadModule, IngestModule, IngestHealthModule] };
  }
}
