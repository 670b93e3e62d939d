import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { request as httpRequest, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { Global, Module } from '@nestjs/common';
import { crc32c } from '@node-rs/crc32';
import pg from 'pg';
import { createToken, type Owner } from '#auth';
import { BlobStore, FolderBlobStore } from '#blobs';
import { loadConfig } from '#config';
import { GrpcModule, serveGrpc, standardGrpc } from '#grpc';
import { GrpcTestClient } from '#grpc/testing';
import { createHttpApp, HttpModule, Idempotency, PublicUrl, UploadLimits } from '#http';
import { Dispatcher, type IngestRun } from '#jobs';
import { crc32cDigest, type ExperimentId, type FileId, limits, type TenantId } from '#model';
import { experimentIdOf, fileIdOf, tenantIdOf } from '#model/testing';
import { readFileRange } from '#originals';
import { insertExperiment, insertMember, insertPerson, insertWorkspace, Operator, readPendingBytes, readUsage, Store } from '#store';
import { createTestDatabase, type TestDatabase } from '#testing';
import { QuotaDefaults, WorkspaceTerms } from '#workspaces';
import { Admission, minSegmentBytes } from '../admission/admission.ts';
import { AppendSlots } from '../admission/append-slots.ts';
import { PendingView } from '../admission/pending-view.ts';
import { QuotaAdmission } from '../admission/quota-admission.ts';
import { UsageView } from '../admission/usage-view.ts';
import { ExporterController } from '../exporter/exporter.controller.ts';
import { Acknowledger } from '../files/acknowledger.ts';
import { BodyBudget } from '../files/body-budget.ts';
import { FileDirectory } from '../files/file-directory.ts';
import { FilesController } from '../files/files.controller.ts';
import { FreeSpace } from '../files/free-space.ts';
import { RangeUpload, type UploadParts } from '../files/range-upload.ts';
import { BlobSequences } from '../stock-writer/blob-sequences.ts';
import { HandshakeController } from '../stock-writer/handshake.controller.ts';
import { UploaderRequests } from '../stock-writer/uploader-requests.ts';
import { WriterController } from '../stock-writer/writer.controller.ts';

/** Records offers, but nothing processes them. */
export class OfferList extends Dispatcher {
  readonly offered: IngestRun[] = [];

  override offer(job: IngestRun): void {
    this.offered.push(job);
  }
  override start(): void {}
  override async close(): Promise<void> {}
}

/** A response of the service. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly json: Record<string, unknown>;
}

/** Options of a test. Everything else is as in production. */
export interface UploadServiceOptions {
  readonly idleTimeoutMs?: number;
  readonly bodyTimeoutMs?: number;
  readonly limits?: Partial<ConstructorParameters<typeof UploadLimits>[0]>;
  readonly quotas?: Partial<ConstructorParameters<typeof QuotaDefaults>[0]>;
  /**
   * Another process of the same service. It uses the service's database and folder, and does not
   * remove them.
   */
  readonly beside?: UploadService;
  /** By default a new database, which is dropped at the end. */
  readonly database?: TestDatabase;
  readonly budgetBytes?: number;
  readonly reserveBytes?: number;
}

/** The upload API with its own database and folder, but without workers. */
export class UploadService {
  readonly database: TestDatabase;
  readonly store: Store;
  readonly blobs: FolderBlobStore;
  readonly dispatcher: OfferList;
  readonly budget: BodyBudget;
  readonly port: number;
  readonly grpcPort: number;
  readonly folder: string;
  readonly #close: () => Promise<void>;

  private constructor(
    parts: Pick<UploadService, 'database' | 'store' | 'blobs' | 'dispatcher' | 'budget' | 'port' | 'grpcPort' | 'folder'>,
    close: () => Promise<void>,
  ) {
    ({
      database: this.database,
      store: this.store,
      blobs: this.blobs,
      dispatcher: this.dispatcher,
      budget: this.budget,
      port: this.port,
      grpcPort: this.grpcPort,
      folder: this.folder,
    } = parts);
    this.#close = close;
  }

  static async start(options: UploadServiceOptions = {}): Promise<UploadService> {
    const { beside } = options;
    const database = beside?.database ?? options.database ?? (await createTestDatabase());
    const folder = beside?.folder ?? (await mkdtemp(join(tmpdir(), 'plotline-upload-')));
    const store = new Store(database);
    const blobs = await FolderBlobStore.open(folder);
    const dispatcher = new OfferList();
    const config = loadConfig({});
    const upload = { ...config.upload, ...options.limits };
    const bounds = new UploadLimits(upload);
    const defaults = new QuotaDefaults({ ...config.quota, ...options.quotas }, upload);
    const terms = new WorkspaceTerms(store, defaults);
    const usage = new UsageView({ read: (tenantId) => store.withTenant(tenantId, (scope) => readUsage(scope), { readOnly: true }) });
    const budget = new BodyBudget({ maxBytes: options.budgetBytes ?? bounds.bodyMemoryBytes });
    const pending = new PendingView({
      read: () => readPendingBytes(store.sweeper, minSegmentBytes),
      onError: (error) => {
        throw error;
      },
    });
    const uploadParts: UploadParts = {
      store,
      blobs,
      directory: new FileDirectory(store),
      acknowledger: new Acknowledger(store, dispatcher),
      space: new FreeSpace(blobs, options.reserveBytes ?? 0),
      budget,
      admission: new Admission(pending, bounds, async (tenantId) => (await terms.of(tenantId)).quotas.pending_bytes),
      quotas: new QuotaAdmission(usage, async (tenantId) => (await terms.of(tenantId)).quotas),
      slots: new AppendSlots(bounds),
      idleTimeoutMs: options.idleTimeoutMs ?? limits.bodyIdleTimeoutMs,
      bodyTimeoutMs: options.bodyTimeoutMs ?? limits.bodyTimeoutMs,
    };
    const requests = new UploaderRequests(uploadParts, dispatcher);
    const parts = [
      { provide: Store, useValue: store },
      { provide: BlobStore, useValue: blobs },
      { provide: PublicUrl, useValue: new PublicUrl('https://plots.example') },
      { provide: RangeUpload, useValue: new RangeUpload(uploadParts) },
      { provide: UploaderRequests, useValue: requests },
      { provide: BlobSequences, useValue: new BlobSequences(uploadParts, requests) },
      { provide: BodyBudget, useValue: budget },
      { provide: QuotaDefaults, useValue: defaults },
    ];
    @Global()
    @Module({ providers: parts, exports: parts.map(({ provide }) => provide) })
    class PartsModule {}
    @Module({
      imports: [PartsModule, HttpModule, GrpcModule],
      controllers: [ExporterController, FilesController, HandshakeController, WriterController],
      providers: [Idempotency],
    })
    class TestModule {}
    const app = await createHttpApp(TestModule, { logger: false });
    await app.listen(0, '127.0.0.1');
    const { port } = app.getHttpServer().address() as AddressInfo;
    const grpcPort = (await serveGrpc(app, standardGrpc()))!.port;
    return new UploadService({ database, store, blobs, dispatcher, budget, port, grpcPort, folder }, async () => {
      await app.close();
      await store.close();
      if (beside) return;
      await database.drop();
      await rm(folder, { recursive: true });
    });
  }

  stop(): Promise<void> {
    return this.#close();
  }

  /** Runs a statement as the database administrator. */
  async administer(statement: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.database.adminUrl });
    await client.connect();
    try {
      await client.query(statement);
    } finally {
      await client.end();
    }
  }

  /** Runs work as the operator. */
  async operate<T>(work: Parameters<Operator['run']>[0]): Promise<T> {
    const operator = new Operator(this.database.migratorUrl);
    try {
      return (await operator.run(work)) as T;
    } finally {
      await operator.close();
    }
  }

  /** A client of a new workspace, with a token that may write. */
  async newClient(): Promise<UploadClient> {
    const owner = { tenantId: tenantIdOf(randomUUID()), personId: randomUUID() };
    await insertPerson(this.store.global, owner.personId, 'Ada');
    await this.store.withTenant(owner.tenantId, async (scope) => {
      await insertWorkspace(scope, 'Lab');
      await insertMember(scope, owner.personId, 'owner');
    });
    const token = await createToken(this.store, { ...owner, name: 'test' });
    return new UploadClient(this, owner, token);
  }
}

/** A client of the service, in one workspace. */
export class UploadClient {
  readonly tenantId: TenantId;
  readonly #service: UploadService;
  readonly owner: Owner;
  readonly token: string;

  constructor(service: UploadService, owner: Owner, token: string) {
    this.#service = service;
    this.owner = owner;
    this.token = token;
    this.tenantId = owner.tenantId;
  }

  get personId(): string {
    return this.owner.personId;
  }

  /** The headers of every request. */
  get headers(): { readonly authorization: string } {
    return { authorization: `Bearer ${this.token}` };
  }

  /** Calls its gRPC methods. */
  grpc(): GrpcTestClient {
    return new GrpcTestClient(this.#service.grpcPort, this.headers);
  }

  async newExperiment(): Promise<ExperimentId> {
    const base62 = randomBytes(40)
      .toString('base64')
      .replaceAll(/[^A-Za-z0-9]/g, '');
    const experimentId = experimentIdOf(base62.slice(0, 22));
    const experiment = { experimentId, name: '', description: '', ownerId: this.owner.personId, labels: [] };
    await this.#service.store.withTenant(this.tenantId, (scope) => insertExperiment(scope, experiment));
    return experimentId;
  }

  /** Announces a file in a new experiment. Returns the file's id. */
  async newFile(name = 'events.out.tfevents.1'): Promise<{ fileId: FileId; experimentId: ExperimentId }> {
    const experimentId = await this.newExperiment();
    const { json } = await this.open(experimentId, { run: '.', name });
    return { fileId: fileIdOf(String(json['file_id'])), experimentId };
  }

  open(experimentId: ExperimentId, body: unknown, headers: Record<string, string> = {}): Promise<ApiResponse> {
    return this.send('POST', `/api/v1/experiments/${experimentId}/files`, { headers, json: body });
  }

  /**
   * Sends a PATCH with a correct digest. `headers` can change the digest, or remove it with
   * undefined.
   */
  append(fileId: FileId, offset: number, body: Uint8Array, headers: Record<string, string | undefined> = {}): Promise<ApiResponse> {
    return this.send('PATCH', `/api/v1/files/${fileId}`, {
      headers: { 'upload-offset': String(offset), 'content-digest': digestOf(body), ...headers },
      body,
    });
  }

  /**
   * Starts an append at the start of a file. When this resolves, half of the body has been sent.
   * The returned function sends the rest.
   */
  async beginAppend(fileId: FileId, body: Uint8Array, { authorization } = this.headers): Promise<() => Promise<ApiResponse>> {
    const half = body.length >> 1;
    const request = httpRequest({
      host: '127.0.0.1',
      port: this.#service.port,
      method: 'PATCH',
      path: `/api/v1/files/${fileId}`,
      headers: {
        authorization,
        'upload-offset': '0',
        'content-digest': digestOf(body),
        'content-length': body.length,
        expect: '100-continue',
      },
      agent: false,
    });
    const result = new Promise<ApiResponse>((resolve, reject) => {
      request.on('error', reject).on('response', (response) => void readResponse(response).then(resolve, reject));
    });
    await Promise.race([new Promise((resolve) => request.once('continue', resolve)), result]); // it was admitted and is being read
    request.write(body.subarray(0, half));
    return () => {
      request.end(body.subarray(half));
      return result;
    };
  }

  position(fileId: FileId): Promise<ApiResponse> {
    return this.send('HEAD', `/api/v1/files/${fileId}`);
  }

  complete(fileId: FileId, bytes: Uint8Array): Promise<ApiResponse> {
    return this.send('POST', `/api/v1/files/${fileId}/complete`, { json: { bytes: bytes.length, crc32c: crc32c(bytes) } });
  }

  /** The content of the file as the service reads it back from storage. */
  async stored(fileId: FileId): Promise<Buffer> {
    const { store, blobs } = this.#service;
    const end = Number((await this.position(fileId)).headers['upload-offset']);
    const pieces: Buffer[] = [];
    const source = {
      inTenant: <T>(work: Parameters<typeof store.withTenant<T>>[1]) => store.withTenant(this.tenantId, work),
      blobs,
      tenantId: this.tenantId,
      fileId,
    };
    for await (const piece of readFileRange(source, { start: 0, end })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /** Sends a request on a new connection. */
  send(
    method: string,
    path: string,
    sent: { headers?: Record<string, string | undefined>; json?: unknown; body?: Uint8Array } = {},
  ): Promise<ApiResponse> {
    const body = sent.json === undefined ? sent.body : Buffer.from(JSON.stringify(sent.json));
    const headers: Record<string, string> = { ...this.headers };
    if (sent.json !== undefined) headers['content-type'] = 'application/json';
    for (const [name, value] of Object.entries(sent.headers ?? {})) if (value !== undefined) headers[name] = value;
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.#service.port, method, path, headers, agent: false };
      const request = httpRequest(options, (response) => {
        readResponse(response).then(resolve, reject);
      });
      request.on('error', reject);
      request.end(body);
    });
  }
}

async function readResponse(response: IncomingMessage): Promise<ApiResponse> {
  const text = await readText(response);
  return {
    status: response.statusCode!,
    headers: response.headers,
    json: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
  };
}

/** The Content-Digest of a body, with a CRC-32C. */
export function digestOf(body: Uint8Array): string {
  return crc32cDigest(crc32c(body));
}
