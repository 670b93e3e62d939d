import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Secret } from '#config/secrets';
import type { TenantId } from '#model';
import { isTracing, noteStep } from '#telemetry';
import { CommitWatch } from './commit-watch.ts';
import type { Database } from './database.ts';
import { DatabaseClock } from './database-clock.ts';
import type { GlobalHandle, SweeperHandle } from './handles.ts';
import { OutageGuard } from './driver/outage-guard.ts';
import { LiveClients } from './driver/live-client.ts';
import { connectTimeoutMs } from './driver/timed-client.ts';
import { type ServiceRole, serviceRoles } from './service-roles.ts';
import { assertWritable } from './queries/connections/assert-writable.ts';
import { readTime } from './queries/connections/read-time.ts';
import { type RowIds, rowIds } from './row-ids.ts';
import { IngestScope, Snapshot, TenantScope } from './scope.ts';
import { backendPid, together, wrapConnect } from './driver/pg-internals.ts';
import { SilenceWatch } from './driver/silence-watch.ts';
import { mapStoreError } from './store-error.ts';
import { tracedStatements } from './trace-statements.ts';

/**
 * How a {@link Store} connects to Postgres: one login role for each kind of work (see
 * `migrations/roles.sql`).
 */
export interface StoreOptions {
  /** Role plotline_app: serves requests, under row level security. */
  readonly appUrl: Secret;
  /**
   * Role plotline_ingest: stores the points that a worker parsed. Only the ingest worker needs it.
   */
  readonly ingestUrl?: Secret;
  /** Role plotline_sweeper: searches for pending work across all tenants. */
  readonly sweeperUrl?: Secret;
  readonly appPoolSize?: number;
  readonly ingestPoolSize?: number;
  /** Timeout of a request's statement. No timeout by default. */
  readonly statementMs?: number;
  /** Called with the backend PID of each new ingest connection. */
  readonly onIngestConnect?: (backendPid: number) => void;
  /** Called when the number of commits that wait for a lost synchronous standby changes. */
  readonly onHangingCommits?: (commits: number) => void;
  /** Only for tests. By default, IDs have random prefixes. */
  readonly rowIds?: RowIds;
}

/** One connection pool of a {@link Store}. */
export interface SignIn {
  /** The role that the pool must sign in as. */
  readonly role: ServiceRole;
  /** Includes the password. */
  readonly url: string;
  /** Connects when the first statement is sent. */
  readonly database: Kysely<Database>;
}

/** Isolation and access of a tenant transaction. */
export interface TransactionOptions {
  /**
   * `repeatable read` gives all statements one snapshot (the frontier and data from the same
   * moment).
   */
  readonly isolation?: 'repeatable read';
  readonly readOnly?: boolean;
  /**
   * Whether the transaction rarely writes, so that it runs even while commits hang. If it then does
   * write, it is rejected within three seconds, like the first commit that hangs.
   */
  readonly rarelyWrites?: boolean;
}

const reconnectMs = 500;

/** How long Postgres keeps the locks of a client that is idle in a transaction. */
interface PoolTimeouts {
  readonly idleInTransactionMs: number;
  /** How long a statement waits for a lock. 0 means no limit. */
  readonly lockMs: number;
  /** Statement timeout. No timeout if absent. */
  readonly statementMs?: number | undefined;
}

/** Requests only run statements in their transactions, and clients can resend them. */
const requestTimeouts: PoolTimeouts = { idleInTransactionMs: 10_000, lockMs: 2_500 };
/** Ingest parses and writes objects between its statements. */
const ingestTimeouts: PoolTimeouts = { idleInTransactionMs: 30_000, lockMs: 0 };

/**
 * Ingest reads and writes only by key. A plan created while a table had few rows, or for a foreign
 * key check, would keep scanning the whole table long after it has grown.
 */
const byKeysAlone = '-c enable_seqscan=off';
/**
 * Ingest also keeps its plans. This is not possible on Citus, which needs the tenant to find the
 * shard.
 */
const keepPlans = `select set_config('plan_cache_mode', 'force_generic_plan', false)
  where not exists (select from pg_extension where extname = 'citus')`;

/**
 * Makes Postgres drop a client about 15 seconds after the client's machine disappears. The default
 * is two hours.
 */
const keepAlives = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3';

/** A pool and how it connects. */
interface Connections {
  readonly pool: pg.Pool;
  readonly clients: LiveClients;
  readonly guard: OutageGuard;
}

/** A role's connections. */
export interface ConnectionCounts {
  readonly inUse: number;
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

function makePool(
  secret: Secret,
  max: number,
  name: string,
  timeouts: PoolTimeouts,
  commits: CommitWatch,
  { pipeline = false, options = '' }: { readonly pipeline?: boolean; readonly options?: string } = {},
): Connections {
  const clients = new LiveClients(secret);
  // At most this many backends remain on the server waiting for a standby: as many as the pool has
  // connections.
  const guard: OutageGuard = new OutageGuard(max, () => watch.hangingCommits < max);
  const watch = new SilenceWatch(
    () => clients.url,
    name,
    () => guard.noteDown(),
    commits.counterOf(),
  );
  const pool = new pg.Pool({
    Client: clients.Client,
    pipeline,
    max,
    application_name: watch.applicationName,
    keepAlive: true,
    idle_in_transaction_session_timeout: timeouts.idleInTransactionMs,
    ...(timeouts.lockMs > 0 && { lock_timeout: timeouts.lockMs }),
    ...(timeouts.statementMs !== undefined && { statement_timeout: timeouts.statementMs }),
    options: `${keepAlives} ${options}`,
  });
  watch.watch(pool);
  // The guard is outside: during an outage, it rejects a checkout without any attempt.
  wrapConnect(pool, (connect) => guard.guarding(pool, clients.retrying(connect)));
  // An idle connection that the server closed (restart, failover) is replaced at the next checkout.
  // Without a listener, the error would end the process.
  pool.on('error', () => undefined);
  // The same applies to a connection in use: its next query fails and reports the error.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { pool, clients, guard };
}

/**
 * Access to Postgres. Tenant tables can be accessed only through `withTenant` and `withIngest`,
 * each of which runs one transaction of one tenant. Failures of the server itself are thrown as
 * `Problem` (`store-unavailable`, `insufficient-storage`). All other errors are unchanged.
 *
 * ```ts store
 * import { randomUUID } from 'node:crypto';
 * import { parseTenantId } from '#model';
 * import { findExperiment, type TenantScope } from './index.ts';
 *
 * const find = (scope: TenantScope) => findExperiment(scope, experimentId);
 * assert.equal((await store.withTenant(tenantId, find))?.visibility, 'private');
 * assert.equal(await store.withTenant(parseTenantId(randomUUID()), find), null); // another workspace's
 * ```
 */
export class Store {
  /** The clock to use for comparisons with times from the database or other processes. */
  readonly clock: DatabaseClock;
  readonly #appConnections: Connections;
  readonly #ingestConnections: Connections | null;
  readonly #sweeperConnections: Connections | null;
  readonly #appPool: pg.Pool;
  readonly #ingestPool: pg.Pool | null;
  readonly #sweeperPool: pg.Pool | null;
  readonly #app: Kysely<Database>;
  readonly #sweeper: Kysely<Database> | null;
  readonly #commits: CommitWatch;
  readonly #rowIds: RowIds;

  constructor(options: StoreOptions) {
    this.#rowIds = options.rowIds ?? rowIds;
    this.#commits = new CommitWatch(options.onHangingCommits);
    this.#appConnections = makePool(
      options.appUrl,
      options.appPoolSize ?? 10,
      'plotline-app',
      {
        ...requestTimeouts,
        statementMs: options.statementMs,
      },
      this.#commits,
      { pipeline: true },
    );
    this.#appPool = this.#appConnections.pool;
    this.#ingestConnections = options.ingestUrl
      ? makePool(options.ingestUrl, options.ingestPoolSize ?? 2, 'plotline-ingest', ingestTimeouts, this.#commits, {
          pipeline: true,
          options: byKeysAlone,
        })
      : null;
    this.#ingestPool = this.#ingestConnections?.pool ?? null;
    this.#ingestPool?.on('connect', (client) => {
      const pid = backendPid(client);
      if (pid !== null) options.onIngestConnect?.(pid);
      // Runs before the statement that needs the connection. If this query fails, the statement
      // fails with the same error.
      client.query(keepPlans).catch(() => undefined);
    });
    this.#sweeperConnections = options.sweeperUrl
      ? makePool(options.sweeperUrl, 1, 'plotline-sweeper', requestTimeouts, this.#commits)
      : null;
    this.#sweeperPool = this.#sweeperConnections?.pool ?? null;
    this.#app = new Kysely<Database>({ ...tracedStatements(), dialect: new PostgresDialect({ pool: this.#appPool }) });
    this.clock = new DatabaseClock(() => readTime(this.#app));
    this.#sweeper = this.#sweeperPool
      ? new Kysely<Database>({ ...tracedStatements(), dialect: new PostgresDialect({ pool: this.#sweeperPool }) })
      : null;
  }

  /**
   * Resolves when a small commit is durable, including on the standbys. Throws `store-unavailable`
   * if the database accepts no writes or its commits hang.
   */
  async assertCommits(): Promise<void> {
    this.#commits.assertNoneHangs();
    await assertWritable(this.#app).catch((error: unknown) => {
      throw this.#commits.explain(mapStoreError(error));
    });
  }

  /**
   * Access to global tables, such as token_route, experiment_route and person, which have no tenant
   * and no policy.
   */
  get global(): GlobalHandle {
    return this.#app;
  }

  /**
   * Read-only access to the ledger for all tenants. Only files under `queries/maintenance/` use it.
   */
  get sweeper(): SweeperHandle {
    if (!this.#sweeper) throw new Error('this process has no sweeper connection');
    return this.#sweeper;
  }

  /**
   * Runs `work` in one transaction of the tenant, under row level security. Rolls back if `work`
   * throws. While commits hang, a transaction that may write is rejected with `store-unavailable`.
   */
  async withTenant<T>(tenantId: TenantId, work: (scope: TenantScope) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    const mayWrite = !options.readOnly && !options.rarelyWrites;
    try {
      if (mayWrite) this.#commits.assertNoneHangs();
      let builder = this.#app.transaction();
      if (options.isolation) builder = builder.setIsolationLevel(options.isolation);
      if (options.readOnly) builder = builder.setAccessMode('read only');
      return await builder.execute(async (trx) => {
        await sql`select app_set_tenant(${tenantId}::uuid)`.execute(trx);
        const result = await work(new TenantScope(tenantId, trx, this.#rowIds));
        // `work` may have waited for its connection or a lock until a commit hung.
        if (mayWrite) this.#commits.assertNoneHangs();
        return result;
      });
    } catch (error) {
      throw this.#commits.explain(mapStoreError(error));
    }
  }

  /**
   * Runs `work` on one read-only snapshot of the tenant's data, under row level security. All its
   * reads see one moment.
   */
  async withSnapshot<T>(tenantId: TenantId, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    try {
      const client = await this.#appPool.connect();
      try {
        const trx = new Kysely<Database>({ ...tracedStatements(), dialect: new PostgresDialect({ pool: singleConnectionPool(client) }) });
        const begun = together(client, () => ({
          transaction: client.query('begin isolation level repeatable read read only'),
          tenant: client.query({ name: 'set-tenant', text: 'select app_set_tenant($1::uuid)', values: [tenantId] }),
          work: work(new Snapshot(tenantId, trx, client)),
        }));
        // All of these promises settle before the connection is returned. The first error is
        // thrown.
        await Promise.allSettled(Object.values(begun));
        await begun.transaction;
        await begun.tenant;
        return await begun.work;
      } finally {
        // The response does not wait for the end of a transaction that has changed nothing. Only
        // the reuse of the connection waits.
        setImmediate(() => {
          client.query('rollback').then(
            () => client.release(),
            (error: Error) => client.release(error), // the connection is gone, and the transaction with it
          );
        });
      }
    } catch (error) {
      throw mapStoreError(error);
    }
  }

  /**
   * Runs `work` in one ingest transaction of the tenant (role plotline_ingest, which bypasses row
   * level security because COPY cannot run under it). The queries write the scope's tenant into
   * every row. `tenantId` comes from the ledger.
   */
  async withIngest<T>(tenantId: TenantId, work: (ingest: IngestScope) => Promise<T>): Promise<T> {
    if (!this.#ingestPool) throw new Error('this process has no ingest connection');
    let client: pg.PoolClient | null = null;
    let broken: Error | undefined;
    try {
      this.#commits.assertNoneHangs();
      client = await this.#ingestPool.connect();
      const trx = new Kysely<Database>({ ...tracedStatements(), dialect: new PostgresDialect({ pool: singleConnectionPool(client) }) });
      await client.query('begin');
      try {
        const result = await work(new IngestScope(tenantId, trx, client, this.#rowIds));
        await (isTracing() ? tracedCommit(client) : client.query('commit'));
        return result;
      } catch (error) {
        await client.query('rollback').catch((rollbackError: Error) => {
          broken = rollbackError; // the connection is gone, and the transaction with it
        });
        throw error;
      }
    } catch (error) {
      throw this.#commits.explain(mapStoreError(error));
    } finally {
      client?.release(broken);
    }
  }

  /**
   * Listens to `channel`. Notifications are only hints, so callers must also poll. Reconnects
   * automatically. Returns a function that stops listening.
   */
  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    let ended = false;
    let client: pg.Client | null = null;
    const connect = async (): Promise<void> => {
      const next = await this.#appConnections.clients.connect({
        application_name: 'plotline-listen',
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
      });
      let listening = false;
      next.on('notification', (message) => onNotify(message.payload ?? ''));
      next.once('end', () => {
        if (listening) reconnect();
      });
      await next.query(`listen ${pg.escapeIdentifier(channel)}`);
      listening = true;
      client = next;
      if (ended) await next.end();
    };
    const reconnect = (): void => {
      if (!ended) setTimeout(() => void connect().catch(reconnect), reconnectMs).unref(); // callers poll meanwhile
    };
    await connect();
    return async () => {
      ended = true;
      await client?.end();
    };
  }

  /** The number of connections for each role that this process has. */
  get connectionCounts(): Readonly<Partial<Record<ServiceRole, ConnectionCounts>>> {
    const all = Object.entries(this.#connections).flatMap(([role, connections]) => {
      if (connections === null) return [];
      const { pool, guard } = connections;
      return [[role, { inUse: pool.totalCount - pool.idleCount, idle: pool.idleCount, waiting: guard.waiting }] as const];
    });
    return Object.fromEntries(all);
  }

  get #connections(): Readonly<Record<ServiceRole, Connections | null>> {
    return {
      plotline_app: this.#appConnections,
      plotline_ingest: this.#ingestConnections,
      plotline_sweeper: this.#sweeperConnections,
    };
  }

  /** This process's sign-ins to Postgres, one for each role that it has. */
  get signIns(): readonly SignIn[] {
    return serviceRoles.flatMap((role) => {
      const connections = this.#connections[role];
      if (connections === null) return [];
      const { pool, clients } = connections;
      return [{ role, url: clients.url, database: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) }];
    });
  }

  /** Closes all connections. Running transactions finish first. */
  async close(): Promise<void> {
    await Promise.all([this.#appPool.end(), this.#ingestPool?.end(), this.#sweeperPool?.end()]);
  }
}

/** Commits an ingest transaction, as a step in its trace. */
async function tracedCommit(client: pg.PoolClient): Promise<void> {
  const since = performance.now();
  let failed = true;
  try {
    await client.query('commit');
    failed = false;
  } finally {
    noteStep('statement', 'commit', (performance.now() - since) / 1_000, failed);
  }
}

/** Lets Kysely run on a connection that another caller checks out and releases. */
function singleConnectionPool(client: pg.PoolClient) {
  const shared = new Proxy(client, {
    get(target, property) {
      if (property === 'release') return () => undefined;
      const value: unknown = Reflect.get(target, property, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  return { connect: async () => shared, end: async () => undefined, options: {} };
}
