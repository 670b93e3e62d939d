import { Global, Module } from '@nestjs/common';
import { Health } from '#http';
import { Store } from '#store';
import { IngestHealth } from './ingest-health.ts';
import { IngestModule, IngestService } from './ingest.module.ts';

/** When an ingest process counts as ready; the composing app provides an implementation. */
export abstract class IngestHealthSettings {
  /** How long pending work may go without progress. */
  abstract readonly maxStallMs: number;
}

/** Makes `/healthz` and `/readyz` report whether pending work makes progress. */
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
