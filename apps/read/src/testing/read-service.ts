import { randomUUID } from 'node:crypto';
import { type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Global, type LoggerService, Module, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import { createToken, type Owner, SigningKeys, type WorkloadIssuer, WorkloadIssuers } from '#auth';
import { loadConfig } from '#config';
import { BlobStore } from '#blobs';
import { MemoryBlobStore } from '#blobs/testing';
import { ClientAddressSettings, createHttpApp, PublicUrl, UploadLimits } from '#http';
import { Dispatcher } from '#jobs';
import { tenantIdOf } from '#model/testing';
import { closeApp } from '#service';
import { insertMember, insertPerson, insertWorkspace, Store, type StoreOptions } from '#store';
import { createTestDatabase, type TestDatabase } from '#testing';
import { ReadModule } from '../read.module.ts';
import { SignInSettings } from '../sign-in/sign-in-settings.ts';
import { checkDocumented } from './documented-response.ts';

/** A workspace with one person and that person's token. */
export interface TestTenant extends Owner {
  readonly token: string;
}

// eslint-disable-next-line @typescript-eslint/no-explicit-any -- tests look into answers freely; what is not there fails them
export type Loose = any;

/** A response of the service. */
export interface ApiResponse {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Null if the response is not JSON. */
  readonly json: any; // eslint-disable-line @typescript-eslint/no-explicit-any -- tests look into answers freely
}

/** The whole read module with a separate database. */
export interface ReadService {
  readonly app: NestExpressApplication;
  readonly base: string;
  readonly database: TestDatabase;
  readonly store: Store;
  readonly blobs: MemoryBlobStore;
  /** A separate workspace. */
  tenant(name?: string): Promise<TestTenant>;
  /**
   * Sends a request as the given tenant, or without credentials. Throws if a successful response
   * differs from the OpenAPI document.
   */
  call(
    tenant: TestTenant | null,
    method: string,
    path: string,
    options?: { headers?: Record<string, string>; body?: unknown },
  ): Promise<ApiResponse>;
  /** Sends a request with exactly this path, which fetch would normalize. */
  raw(
    method: string,
    path: string,
    headers?: Record<string, string>,
  ): Promise<{ status: number; headers: IncomingHttpHeaders; text: string }>;
  /** Runs SQL as the administrator, bypassing every policy. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

class NobodyWorks extends Dispatcher {
  override offer(): void {}
  override start(): void {}
  override async close(): Promise<void> {}
}

/** Whether the body is a JSON document, including problem documents, but not JSON Lines. */
function isJson(headers: Headers): boolean {
  return /[/+]json\b/.test(headers.get('content-type') ?? '');
}

/** The PLOTLINE_SECRET_KEY of the service. */
export const testSecret = 'a secret of a test, and of nothing else';

/** Options of a service under test. */
export interface ReadServiceOptions {
  /** Trusted issuers of workload tokens. */
  readonly workloadIssuers?: readonly WorkloadIssuer[];
  readonly logger?: LoggerService | false;
  readonly signIn?: SignInSettings;
  /** Default: a free port. */
  readonly port?: number;
  readonly addresses?: ClientAddressSettings;
  /** How the store connects to Postgres, for tests that depend on it. */
  readonly storeOptions?: Pick<StoreOptions, 'appPoolSize' | 'statementMs'>;
  /** The source of objects instead of `blobs`, because `blobs` returns each object in one piece. */
  readonly objects?: BlobStore;
}

/**
 * Practically disables the rate limit, because a test sends the requests of many clients from one
 * address.
 */
const manyRequests = loadConfig({ PLOTLINE_PUBLIC_REQUESTS_PER_MINUTE: '1000000' }).server;

/**
 * Starts the read service. `beside`: modules of other apps in the same process; nothing processes
 * their offers.
 */
export async function startReadService(
  publicUrl = 'http://plots.example',
  beside: readonly Type[] = [],
  {
    storeOptions = {},
    workloadIssuers = [],
    logger = false,
    signIn = new SignInSettings(loadConfig({}).signIn),
    port: wantedPort = 0,
    addresses = new ClientAddressSettings(manyRequests),
    objects,
  }: ReadServiceOptions = {},
): Promise<ReadService> {
  const database = await createTestDatabase();
  const store = new Store({ appUrl: database.appUrl, sweeperUrl: database.sweeperUrl, ...storeOptions });
  const blobs = new MemoryBlobStore();
  const parts = [
    { provide: Store, useValue: store },
    { provide: BlobStore, useValue: objects ?? blobs },
    { provide: Dispatcher, useValue: new NobodyWorks() },
    { provide: PublicUrl, useValue: new PublicUrl(publicUrl) },
    { provide: SignInSettings, useValue: signIn },
    { provide: ClientAddressSettings, useValue: addresses },
    { provide: UploadLimits, useValue: new UploadLimits(loadConfig({}).upload) },
    { provide: SigningKeys, useValue: new SigningKeys(store, testSecret) },
    { provide: WorkloadIssuers, useValue: new WorkloadIssuers(workloadIssuers, store.clock) },
  ];
  @Global()
  @Module({ providers: parts, exports: parts.map(({ provide }) => provide) })
  class PartsModule {}
  @Module({ imports: [PartsModule, ReadModule, ...beside] })
  class TestModule {}
  const app = await createHttpApp(TestModule, { logger });
  await app.listen(wantedPort, '127.0.0.1');
  const { port } = app.getHttpServer().address() as AddressInfo;
  const base = `http://127.0.0.1:${port}`;
  const admin = new pg.Client({ connectionString: database.adminUrl });
  await admin.connect();
  return {
    app,
    base,
    database,
    store,
    blobs,
    async tenant(name = 'Lab') {
      const owner = { tenantId: tenantIdOf(randomUUID()), personId: randomUUID() };
      await insertPerson(store.global, owner.personId, 'Ada');
      await store.withTenant(owner.tenantId, async (scope) => {
        await insertWorkspace(scope, name);
        await insertMember(scope, owner.personId, 'owner');
      });
      return { ...owner, token: await createToken(store, { ...owner, name: 'test' }) };
    },
    async call(tenant, method, path, { headers = {}, body } = {}) {
      const response = await fetch(base + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(tenant && { authorization: `Bearer ${tenant.token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
      const text = await response.text();
      const json: unknown = text !== '' && isJson(response.headers) ? JSON.parse(text) : null;
      const mediaType = text === '' ? null : (response.headers.get('content-type')?.split(';')[0] ?? null);
      if (beside.length === 0) checkDocumented({ method, path, status: response.status, mediaType, json });
      return { status: response.status, headers: response.headers, text, json };
    },
    raw: (method, path, headers = {}) =>
      new Promise((resolve, reject) => {
        const sent = httpRequest({ host: '127.0.0.1', port, path, method, headers }, (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (piece: string) => (text += piece));
          response.on('error', reject).on('end', () => resolve({ status: response.statusCode!, headers: response.headers, text }));
        });
        sent.on('error', reject).end();
      }),
    sql: async (text, values) => (await admin.query(text, values)).rows as Record<string, unknown>[],
    async close() {
      await closeApp(app); // like a process: an unused connection would delay the application's close
      await admin.end();
      await store.close();
      await database.drop();
    },
  };
}
