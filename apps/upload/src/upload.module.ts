import { Logger, Module } from '@nestjs/common';
import { BlobStore } from '#blobs';
import { GrpcModule } from '#grpc';
import { HealthModule, HttpModule, Idempotency, UploadLimits } from '#http';
import { Dispatcher } from '#jobs';
import { limits, type Quotas, type TenantId } from '#model';
import { readPendingBytes, readUsage, Store } from '#store';
import { WorkspaceTerms } from '#workspaces';
import { Admission, minSegmentBytes } from './admission/admission.ts';
import { AppendSlots } from './admission/append-slots.ts';
import { PendingView } from './admission/pending-view.ts';
import { QuotaAdmission } from './admission/quota-admission.ts';
import { UsageView } from './admission/usage-view.ts';
import { ExporterController } from './exporter/exporter.controller.ts';
import { Acknowledger } from './files/acknowledger.ts';
import { BodyBudget } from './files/body-budget.ts';
import { FileDirectory } from './files/file-directory.ts';
import { FilesController } from './files/files.controller.ts';
import { FreeSpace } from './files/free-space.ts';
import { RangeUpload, type UploadParts } from './files/range-upload.ts';
import { BlobSequences } from './stock-writer/blob-sequences.ts';
import { HandshakeController } from './stock-writer/handshake.controller.ts';
import { UploaderRequests } from './stock-writer/uploader-requests.ts';
import { WriterController } from './stock-writer/writer.controller.ts';

/** What uploads depend on in all protocols: one admission and one memory budget. */
const uploadParts = Symbol('upload parts');

/**
 * The upload endpoints. A global module of the process provides `Store` (which needs the sweeper's
 * address), `BlobStore`, `Dispatcher`, `UploadLimits` and `PublicUrl`.
 */
@Module({
  imports: [HttpModule, GrpcModule, HealthModule],
  controllers: [ExporterController, FilesController, HandshakeController, WriterController],
  providers: [
    Idempotency,
    {
      provide: BodyBudget,
      inject: [UploadLimits],
      useFactory: (bounds: UploadLimits) => new BodyBudget({ maxBytes: bounds.bodyMemoryBytes }),
    },
    {
      provide: uploadParts,
      inject: [Store, BlobStore, Dispatcher, UploadLimits, WorkspaceTerms, BodyBudget],
      useFactory: makeUploadParts,
    },
    { provide: RangeUpload, inject: [uploadParts], useFactory: (parts: UploadParts) => new RangeUpload(parts) },
    {
      provide: UploaderRequests,
      inject: [uploadParts, Dispatcher],
      useFactory: (parts: UploadParts, dispatcher: Dispatcher) => new UploaderRequests(parts, dispatcher),
    },
    {
      provide: BlobSequences,
      inject: [uploadParts, UploaderRequests],
      useFactory: (parts: UploadParts, requests: UploaderRequests) => new BlobSequences(parts, requests),
    },
  ],
})
export class UploadModule {}

function makeUploadParts(
  store: Store,
  blobs: BlobStore,
  dispatcher: Dispatcher,
  bounds: UploadLimits,
  terms: WorkspaceTerms,
  budget: BodyBudget,
): UploadParts {
  const log = new Logger('upload');
  const pending = new PendingView({
    read: () => readPendingBytes(store.sweeper, minSegmentBytes),
    onError: (error) => log.warn(`the pending bytes could not be read: ${String(error)}`),
  });
  const usage = new UsageView({ read: (tenantId) => store.withTenant(tenantId, (scope) => readUsage(scope), { readOnly: true }) });
  const quotasOf = async (tenantId: TenantId): Promise<Quotas> => (await terms.of(tenantId)).quotas;
  const pendingQuota = async (tenantId: TenantId): Promise<number> => (await quotasOf(tenantId)).pending_bytes;
  return {
    store,
    blobs,
    directory: new FileDirectory(store),
    acknowledger: new Acknowledger(store, dispatcher),
    space: new FreeSpace(blobs, limits.minFreeDiskBytes),
    budget,
    admission: new Admission(pending, bounds, pendingQuota),
    quotas: new QuotaAdmission(usage, quotasOf),
    slots: new AppendSlots(bounds),
    idleTimeoutMs: limits.bodyIdleTimeoutMs,
    bodyTimeoutMs: limits.bodyTimeoutMs,
  };
}
