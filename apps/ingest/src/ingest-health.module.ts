import { Global, Module } from '@nestjs/common';
import { Health } from '#http';
import { Store } from '#store';
import { IngestHealth } from './ingest-health.ts';
import { IngestModule, IngestService } from './ingest.module.ts';

/** When an ingest process is ready; the composing app provides one. */
export abstract class IngestHealthSettings {
  /** How long work may be there that nobody does. */
  abstract readonly maxStallMs: number;
}

/** Makes `/healthz` and `/readyz` say whether pending work moves. */
@Global()
@Module({
  imports: [IngestModule],
  providers: [
    {
      provide: Health,
      inject: [Store, IngestService, IngestHealthSettings],
      useFactory: (store: Store, { pending, activity }: IngestService, { maxStallMs }: IngestHealthSettings): Health =>
        new IngestHealth({ store, pending, activity, maxStallMs }),
    },
  ],
  exports: [Health],
})
export class IngestHealthModule {}
