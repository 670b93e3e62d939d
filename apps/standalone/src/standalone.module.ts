import { type DynamicModule, Module, type ValueProvider } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { GrpcSettings } from '#grpc';
import { ClientAddressSettings, PublicUrl, UploadLimits } from '#http';
import { Dispatcher } from '#jobs';
import { PlatformModule } from '#service';
import { Store } from '#store';
import { QuotaDefaults } from '#workspaces';
import { IngestHealthModule, IngestHealthSettings } from '../../ingest/src/ingest-health.module.ts';
import { IngestModule, IngestSettings } from '../../ingest/src/ingest.module.ts';
import { ReadModule, SignInSettings } from '../../read/src/read.module.ts';
import { UploadModule } from '../../upload/src/upload.module.ts';

/** What the apps' modules depend on. */
export interface Platform {
  readonly store: Store;
  readonly blobs: BlobStore;
  readonly dispatcher: Dispatcher;
  readonly publicUrl: PublicUrl;
  readonly uploadLimits: UploadLimits;
  readonly addresses: ClientAddressSettings;
  readonly grpc: GrpcSettings;
  /** The providers of `openSigning`. */
  readonly signing: readonly ValueProvider[];
  readonly signIn: SignInSettings;
  readonly quotas: QuotaDefaults;
  readonly ingest: IngestSettings;
  readonly ingestHealth: IngestHealthSettings;
}

/** Upload, ingest and read, in one process. */
@Module({})
export class StandaloneModule {
  static of(platform: Platform): DynamicModule {
    const parts = PlatformModule.of(
      { provide: Store, useValue: platform.store },
      { provide: BlobStore, useValue: platform.blobs },
      { provide: Dispatcher, useValue: platform.dispatcher },
      { provide: PublicUrl, useValue: platform.publicUrl },
      { provide: UploadLimits, useValue: platform.uploadLimits },
      { provide: ClientAddressSettings, useValue: platform.addresses },
      { provide: GrpcSettings, useValue: platform.grpc },
      ...platform.signing,
      { provide: SignInSettings, useValue: platform.signIn },
      { provide: QuotaDefaults, useValue: platform.quotas },
      { provide: IngestSettings, useValue: platform.ingest },
      { provide: IngestHealthSettings, useValue: platform.ingestHealth },
    );
    return { module: StandaloneModule, imports: [parts, UploadModule, ReadModule, IngestModule, IngestHealthModule] };
  }
}
