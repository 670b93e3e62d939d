import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ValueProvider } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createSignInLink } from '#auth';
import { type BlobStoreOptions, openBlobStore } from '#blobs';
import { type Config, secretOf } from '#config';
import { keepPort, lastPort, lockFolder, readOrCreateSecret } from '#embedded-postgres';
import { GrpcSettings, serveGrpc } from '#grpc';
import { ClientAddressSettings, createHttpApp, PublicUrl, UploadLimits } from '#http';
import { InProcessDispatcher } from '#jobs';
import {
  type Address,
  chooseAddress,
  closeApp,
  dataFolder,
  Lifetime,
  listenFault,
  listensEverywhere,
  nestLogger,
  openSigning,
  openStore,
  prepareOwner,
  serveMetrics,
  writeCredentials,
} from '#service';
import type { Store } from '#store';
import { QuotaDefaults } from '#workspaces';
import type { Logger } from '#telemetry';
import { ingestBounds, type IngestSettings } from '../../ingest/src/ingest.module.ts';
import { SignInSettings } from '../../read/src/read.module.ts';
import { openDatabase, type StandaloneDatabase } from './database.ts';
import { StandaloneModule } from './standalone.module.ts';

const sweepEveryMs = 2_000;

/** A running embedded service. */
export interface StandaloneService {
  /** The base URL of links, without a trailing slash. */
  readonly url: string;
  /**
   * The URL for programs on this machine. It differs from `url` only if PLOTLINE_PUBLIC_URL is set.
   */
  readonly localUrl: string;
  readonly dataDir: string;
  /**
   * Creates a one-time sign-in link for a browser. After sign-in, it leads to `next`, a path of the
   * service.
   */
  signInLink(next?: string): Promise<string>;
  /** Finishes running work and then stops everything. Idempotent. */
  stop(): Promise<void>;
}

/**
 * Starts everything in one process: embedded Postgres (or the one in PLOTLINE_DATABASE_URL),
 * migrations, blobs in a folder, the in-memory queue, upload, ingest and read. The first start
 * creates the owner, the workspace and the token for the local CLI. If `interrupted` is aborted,
 * the start fails with its reason. A failed start stops everything that it started.
 */
export async function startStandalone(config: Config, logger: Logger, interrupted?: AbortSignal): Promise<StandaloneService> {
  const dataDir = dataFolder(config);
  const address = await chooseFreeAddress(config, dataDir);
  if (listensEverywhere(address) && config.server.publicUrl === undefined) {
    logger.warn(
      'listening on every address of this machine, but links work only on this machine: set PLOTLINE_PUBLIC_URL for other machines',
    );
  }
  const lifetime = new Lifetime();
  let serving = false;
  try {
    await serveMetrics(config, logger, lifetime);
    const log = (line: string): void => (serving ? logger.warn(line) : logger.info(line)); // once it serves, routine Postgres messages are not logged
    const database = await openDatabase({ givenUrl: config.storage.databaseUrl, dataDir, log, lifetime });
    interrupted?.throwIfAborted();
    const { appUrl, ingestUrl, sweeperUrl } = database;
    const store = await openStore({ appUrl, ingestUrl, sweeperUrl, appPoolSize: 12, ingestPoolSize: 1 }, { lifetime, logger, interrupted });
    const { owner, token } = await prepareOwner(store, dataDir);
    interrupted?.throwIfAborted();
    const publicUrl = new PublicUrl(address.publicUrl);
    const secretKey = secretOf(config, 'PLOTLINE_SECRET_KEY') ?? (await readOrCreateSecret(join(dataDir, 'secrets', 'secret-key')));
    const signing = await openSigning(store, { config, logger, interrupted }, secretKey);
    const grpcPortFile = join(dataDir, 'grpc.port');
    const last = config.grpc.port === 0 ? await lastPort(grpcPortFile, config.grpc.host) : config.grpc.port;
    const grpc = new GrpcSettings({ ...config.grpc, port: last === address.port && config.grpc.port === 0 ? 0 : last }, config.server);
    const app = await createApp(config, logger, { store, publicUrl, dataDir, database, signing, grpc });
    lifetime.onStop(() => closeApp(app));
    await app.listen(address.port, address.host).catch((error: unknown) => {
      throw listenFault(error, address);
    });
    const served = await serveGrpc(app, grpc);
    if (served && config.grpc.port === 0) await keepPort(grpcPortFile, served.port);
    // Stored only now, because a token must not be stored for an address where another program
    // listens.
    await writeCredentials(dataDir, { server: address.localUrl, token });
    serving = true;
    return {
      url: publicUrl.base,
      localUrl: address.localUrl,
      dataDir,
      signInLink: async (next) => {
        const link = publicUrl.at(`/sign-in/${await createSignInLink(store, owner)}`);
        return next === undefined ? link : `${link}?next=${encodeURIComponent(next).replaceAll('%2F', '/')}`; // slashes are allowed in a query
      },
      stop: () => lifetime.stop(),
    };
  } catch (error) {
    await lifetime.stop();
    throw error;
  }
}

/**
 * If a port is in use, the same service is usually already running, and the message about the data
 * folder is clearer.
 */
async function chooseFreeAddress(config: Config, dataDir: string): Promise<Address> {
  try {
    return await chooseAddress(config.server);
  } catch (error) {
    await rejectFolderInUse(dataDir);
    throw error;
  }
}

async function rejectFolderInUse(dataDir: string): Promise<void> {
  if (!existsSync(dataDir)) return;
  const lock = await lockFolder(dataDir);
  await lock.release();
}

interface AppParts {
  readonly store: Store;
  readonly publicUrl: PublicUrl;
  readonly dataDir: string;
  readonly database: StandaloneDatabase;
  readonly signing: readonly ValueProvider[];
  readonly grpc: GrpcSettings;
}

async function createApp(
  config: Config,
  logger: Logger,
  { store, publicUrl, dataDir, database, signing, grpc }: AppParts,
): Promise<NestExpressApplication> {
  const objects: BlobStoreOptions = { kind: 'folder', folder: join(dataDir, 'blobs') };
  const blobs = await openBlobStore(objects);
  const { concurrency, groupMs } = config.ingest;
  const dispatcher = new InProcessDispatcher(groupMs, (error, job) =>
    logger.error('an ingest job failed', { err: error, runId: job.runId }),
  );
  const thread: IngestSettings['thread'] = {
    appUrl: database.appUrl,
    ingestUrl: database.ingestUrl,
    blobs: objects,
    bounds: ingestBounds(config),
    stepBack: config.storage.databaseUrl === undefined ? 'threads-and-backends' : 'threads',
  };
  const believeLostAfterMs = config.ingest.lostBytesSeconds * 1_000;
  const orphanGraceMs = config.ingest.orphanGraceSeconds * 1_000;
  const exportKeepMs = config.ingest.exportKeepSeconds * 1_000;
  const uploadLimits = new UploadLimits(config.upload);
  const quotas = new QuotaDefaults(config.quota, config.upload);
  return createHttpApp(
    StandaloneModule.of({
      store,
      blobs,
      dispatcher,
      publicUrl,
      uploadLimits,
      addresses: new ClientAddressSettings(config.server),
      grpc,
      signing,
      signIn: new SignInSettings(config.signIn, { clientSecret: secretOf(config, 'PLOTLINE_OIDC_CLIENT_SECRET') }),
      quotas,
      ingest: { thread, concurrency, sweepEveryMs, believeLostAfterMs, orphanGraceMs, exportKeepMs },
      ingestHealth: { maxStallMs: config.ingest.stallSeconds * 1_000 },
    }),
    {
      logger: nestLogger(logger),
    },
  );
}
