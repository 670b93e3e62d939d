import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { createSignInLink, createToken, firstStart, looksLikeToken } from '#auth';
import { FolderBlobStore } from '#blobs';
import type { Config } from '#config';
import { lockFolder, readOrCreateSecret, startPostgres } from '#embedded-postgres';
import { createHttpApp, PublicUrl } from '#http';
import { InProcessDispatcher } from '#jobs';
import { assertDurable, migrate, prepareDatabase, Store } from '#store';
import type { Logger } from '#telemetry';
import { readCredentials, writeCredentials } from './credentials.ts';
import { nestLogger } from './nest-logger.ts';
import { StandaloneModule } from './standalone.module.ts';

const database = 'plotline';
const sweepEveryMs = 2_000;

/** A running embedded service. */
export interface StandaloneService {
  /** Where it is called, without a slash at the end. */
  readonly url: string;
  readonly dataDir: string;
  /** Makes a link that signs a browser in, once. */
  signInLink(): Promise<string>;
  /** Finishes what is under way, then stops everything. May be called more than once. */
  stop(): Promise<void>;
}

/**
 * Starts everything in one process: embedded Postgres (or the one of PLOTLINE_DATABASE_URL), migrations, blobs in a folder, the queue in memory,
 * upload, ingest and read. The first start makes the owner, the workspace and the token of the local command line.
 */
export async function startStandalone(config: Config, logger: Logger): Promise<StandaloneService> {
  const dataDir = resolve(process.env.INIT_CWD ?? process.cwd(), config.storage.dataDir);
  const stops: (() => Promise<void>)[] = [];
  let stopping: Promise<void> | null = null;
  const stop = (): Promise<void> => (stopping ??= stopAll(stops));
  try {
    const { adminUrl, password } = await openDatabase(config, dataDir, logger, stops);
    const roleUrls = await prepare(adminUrl, password);
    const store = new Store({ ...roleUrls, appPoolSize: 12, ingestPoolSize: 1 });
    stops.push(() => store.close());
    await assertDurable(store, { allowUnsafe: false });
    const blobFolder = join(dataDir, 'blobs');
    const blobs = await FolderBlobStore.open(blobFolder);
    const port = config.server.port === 0 ? await freePort(config.server.host) : config.server.port;
    const publicUrl = new PublicUrl(config.server.publicUrl ?? `http://${hostForUrl(config.server.host)}:${port}`);
    const dispatcher = new InProcessDispatcher(config.ingest.groupMs, (error, job) => logger.error('an ingest job failed', { err: error, runId: job.runId }));
    const owner = await prepareOwner(store, dataDir, `http://${loopback(config.server.host)}:${port}`);
    const app = await createHttpApp(
      StandaloneModule.of({
        store,
        blobs,
        dispatcher,
        publicUrl,
        ingest: {
          thread: {
            appUrl: roleUrls.appUrl,
            ingestUrl: roleUrls.ingestUrl,
            blobFolder,
            bounds: {
              maxBatchBytes: config.ingest.batchBytes,
              tail: { maxPoints: config.ingest.tailPoints, maxAgeMs: config.ingest.tailMinutes * 60_000 },
            },
          },
          concurrency: config.ingest.concurrency,
          sweepEveryMs,
        },
      }),
      { logger: nestLogger(logger) },
    );
    stops.push(() => closeApp(app));
    await app.listen(port, config.server.host);
    return {
      url: publicUrl.base,
      dataDir,
      signInLink: async () => publicUrl.at(`/sign-in/${await createSignInLink(store, owner)}`),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

const loginRoles = ['plotline_app', 'plotline_ingest', 'plotline_sweeper', 'plotline_migrator'] as const;

/** The embedded Postgres, or the one of PLOTLINE_DATABASE_URL (an administrator's address); with the passwords of our login roles. */
async function openDatabase(config: Config, dataDir: string, logger: Logger, stops: (() => Promise<void>)[]) {
  const given = config.storage.databaseUrl;
  if (given === undefined) {
    const postgres = await startPostgres({ dataDir, log: (line) => logger.info(line) });
    stops.push(() => postgres.stop());
    return { adminUrl: postgres.url(), password: (role: string) => postgres.password(role) };
  }
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(dataDir);
  stops.push(() => lock.release());
  const secrets = new Map<string, string>();
  for (const role of loginRoles) secrets.set(role, await readOrCreateSecret(join(dataDir, 'secrets', role)));
  return { adminUrl: given, password: (role: string) => secrets.get(role)! };
}

async function prepare(adminUrl: string, password: (role: string) => string) {
  const passwords = Object.fromEntries(loginRoles.map((role) => [role, password(role)]));
  const url = await prepareDatabase({ adminUrl, database, passwords });
  const urlOf = (role: (typeof loginRoles)[number]): string => {
    const own = new URL(url);
    own.username = role;
    own.password = password(role);
    return own.href;
  };
  await migrate(urlOf('plotline_migrator'));
  return { appUrl: urlOf('plotline_app'), ingestUrl: urlOf('plotline_ingest'), sweeperUrl: urlOf('plotline_sweeper') };
}

/** The owner, with a token for the local command line in `credentials.json`. When that file is gone, another token is made. */
async function prepareOwner(store: Store, dataDir: string, server: string) {
  const name = { personName: 'Owner', workspaceName: 'My workspace', tokenName: 'local command line' };
  const { owner, token } = await firstStart(store, name);
  const known = await readCredentials(dataDir);
  const kept = known !== null && looksLikeToken(known.token) ? known.token : null;
  await writeCredentials(dataDir, { server, token: token ?? kept ?? (await createToken(store, { ...owner, name: name.tokenName })) });
  return owner;
}

/** Stops in the reverse order of starting; a failure does not keep the rest from stopping. */
async function stopAll(stops: (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops.toReversed()) {
    try {
      await stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'the service did not stop cleanly');
}

const drainMs = 5_000;

/** Takes no new connections, lets running requests finish for a while, then cuts those that still stand open (event streams, idle uploads). */
async function closeApp(app: NestExpressApplication): Promise<void> {
  const server = app.getHttpServer();
  const cut = setTimeout(() => server.closeAllConnections(), drainMs);
  server.closeIdleConnections();
  try {
    await app.close();
  } finally {
    clearTimeout(cut);
  }
}

function freePort(host: string): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.once('error', fail);
    server.listen(0, host, () => {
      const address = server.address();
      server.close(() => (address && typeof address === 'object' ? done(address.port) : fail(new Error('no free port'))));
    });
  });
}

function hostForUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

/** Where a program on this machine reaches a service that listens on `host`. */
function loopback(host: string): string {
  return host === '0.0.0.0' || host === '::' ? '127.0.0.1' : hostForUrl(host);
}
