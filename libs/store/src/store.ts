import { Kysely, PostgresDialect, sql } from 'kysely';
import type { Socket } from 'node:net';
import pg from 'pg';
import type { Database } from './database.ts';
import { DatabaseClock } from './database-clock.ts';
import { OutageGuard } from './outage-guard.ts';
import { connectTimeoutMs, PatientClient } from './patient-client.ts';
import { type ServiceRole, serviceRoles } from './service-roles.ts';
import { readTime } from './queries/read-time.ts';
import { SilenceWatch } from './silence-watch.ts';
import { mapStoreError } from './store-error.ts';

/** How a {@link Store} reaches Postgres: one login role for each kind of work (see `migrations/roles.sql`). */
export interface StoreOptions {
  /** Role plotline_app: serves requests, under row level security. */
  readonly appUrl: string;
  /** Role plotline_ingest: stores what a worker parsed. Only the ingest worker needs it. */
  readonly ingestUrl?: string;
  /** Role plotline_sweeper: looks for pending work over all tenants. */
  readonly sweeperUrl?: string;
  readonly appPoolSize?: number;
  readonly ingestPoolSize?: number;
  /** How long one statement of a request may take; by default as long as it takes. */
  readonly statementMs?: number;
  /** Told the process id of the backend of each new ingest connection. */
  readonly onIngestConnect?: (backendPid: number) => void;
}

/** One way of a {@link Store} to Postgres. */
export interface SignIn {
  /** What it is for, and has to sign in as. */
  readonly role: ServiceRole;
  /** With the password. */
  readonly url: string;
  /** Signs in with the first statement. */
  readonly database: Kysely<Database>;
}

/** A transaction of one tenant: the query builder of the generated schema, bound to it. */
export type TenantTransaction = Kysely<Database>;

/** Isolation and access of a tenant transaction. */
export interface TransactionOptions {
  /** `repeatable read` gives all statements one snapshot (frontier and data from the same moment). */
  readonly isolation?: 'repeatable read';
  readonly readOnly?: boolean;
}

/** An ingest transaction: the query builder, and the raw connection that COPY needs. Both are the same transaction. */
export interface IngestTransaction {
  readonly trx: Kysely<Database>;
  readonly client: pg.PoolClient;
}

/** A read-only snapshot of one tenant: the query builder, and the raw connection for results in binary. Both are the same transaction. */
export interface Snapshot {
  readonly trx: Kysely<Database>;
  readonly client: pg.PoolClient;
}

const reconnectMs = 500;

/** How long Postgres keeps the locks of somebody who says nothing in the middle of a transaction. */
interface PoolPatience {
  readonly idleInTransactionMs: number;
  /** How long a statement waits for a lock; 0: as long as it takes. */
  readonly lockMs: number;
  /** How long a statement may take; absent: as long as it takes. */
  readonly statementMs?: number | undefined;
}

/** Requests do nothing but statements in their transactions, and whoever sent them can send them again. */
const requestPatience: PoolPatience = { idleInTransactionMs: 10_000, lockMs: 2_500 };
/** Ingest parses and writes objects between its statements. */
const ingestPatience: PoolPatience = { idleInTransactionMs: 30_000, lockMs: 0 };

/**
 * Ingest reads and writes by keys alone, and keeps its plans. One that was made while a table had few rows, or for the check of a foreign key, would scan all of it
 * long after it has grown.
 */
const byKeysAlone = '-c enable_seqscan=off -c plan_cache_mode=force_generic_plan';

/** Postgres forgets a client whose machine is gone after some fifteen seconds; by itself it would take two hours. */
const keepAlives = '-c tcp_keepalives_idle=5 -c tcp_keepalives_interval=3 -c tcp_keepalives_count=3';

function makePool(
  url: string,
  max: number,
  name: string,
  patience: PoolPatience,
  { pipeline = false, options = '' }: { readonly pipeline?: boolean; readonly options?: string } = {},
): pg.Pool {
  const guard = new OutageGuard(max);
  const watch = new SilenceWatch(url, name, () => guard.noteAway());
  const pool = new pg.Pool({
    Client: PatientClient,
    pipeline,
    connectionString: url,
    max,
    application_name: watch.applicationName,
    keepAlive: true,
    idle_in_transaction_session_timeout: patience.idleInTransactionMs,
    ...(patience.lockMs > 0 && { lock_timeout: patience.lockMs }),
    ...(patience.statementMs !== undefined && { statement_timeout: patience.statementMs }),
    options: `${keepAlives} ${options}`,
  });
  watch.watch(pool);
  guard.guard(pool);
  // An idle connection that the server closed (restart, failover) is replaced by the next checkout; without a listener it would end the process.
  pool.on('error', () => undefined);
  // The same for one that is lent out: its next query fails, which is where the error belongs.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/**
 * The doors to Postgres. `withTenant` and `withIngest` are the only ways to tenant tables: each is one transaction of one tenant.
 * Failures of the server itself arrive as `Problem` (`store-unavailable`, `insufficient-storage`); everything else as it was thrown.
 */
export class Store {
  /** What time it is, for whatever is compared with what another process or the database says. */
  readonly clock: DatabaseClock;
  readonly #appPool: pg.Pool;
  readonly #ingestPool: pg.Pool | null;
  readonly #sweeperPool: pg.Pool | null;
  readonly #app: Kysely<Database>;
  readonly #sweeper: Kysely<Database> | null;

  constructor(options: StoreOptions) {
    this.#appPool = makePool(
      options.appUrl,
      options.appPoolSize ?? 10,
      'plotline-app',
      {
        ...requestPatience,
        statementMs: options.statementMs,
      },
      { pipeline: true },
    );
    this.#ingestPool = options.ingestUrl
      ? makePool(options.ingestUrl, options.ingestPoolSize ?? 2, 'plotline-ingest', ingestPatience, { options: byKeysAlone })
      : null;
    this.#ingestPool?.on('connect', (client) => {
      const pid = (client as pg.PoolClient & { processID?: number | null }).processID;
      if (pid) options.onIngestConnect?.(pid);
    });
    this.#sweeperPool = options.sweeperUrl ? makePool(options.sweeperUrl, 1, 'plotline-sweeper', requestPatience) : null;
    this.#app = new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#appPool }) });
    this.clock = new DatabaseClock(() => readTime(this.#app));
    this.#sweeper = this.#sweeperPool ? new Kysely<Database>({ dialect: new PostgresDialect({ pool: this.#sweeperPool }) }) : null;
  }

  /** Global tables only (token_route, experiment_route, sign_in_link, browser_session, person): they have no tenant and no policy. */
  get global(): Kysely<Database> {
    return this.#app;
  }

  /** Read-only look at the ledger over all tenants; only files under `queries/maintenance/` use it. */
  get sweeper(): Kysely<Database> {
    if (!this.#sweeper) throw new Error('this process has no sweeper connection');
    return this.#sweeper;
  }

  /** Runs `work` in one transaction of the tenant, under row level security. Rolls back when it throws. */
  async withTenant<T>(tenantId: string, work: (trx: TenantTransaction) => Promise<T>, options: TransactionOptions = {}): Promise<T> {
    try {
      let builder = this.#app.transaction();
      if (options.isolation) builder = builder.setIsolationLevel(options.isolation);
      if (options.readOnly) builder = builder.setAccessMode('read only');
      return await builder.execute(async (trx) => {
        await sql`select app_set_tenant(${tenantId}::uuid)`.execute(trx);
        return work(trx);
      });
    } catch (error) {
      throw mapStoreError(error);
    }
  }

  /** Runs `work` on one read-only snapshot of the tenant, under row level security; what it reads is from one moment. */
  async withSnapshot<T>(tenantId: string, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
    try {
      const client = await this.#appPool.connect();
      try {
        const trx = new Kysely<Database>({ dialect: new PostgresDialect({ pool: singleConnectionPool(client) }) });
        const begun = together(client, () => ({
          transaction: client.query('begin isolation level repeatable read read only'),
          tenant: client.query({ name: 'set-tenant', text: 'select app_set_tenant($1::uuid)', values: [tenantId] }),
          work: work({ trx, client }),
        }));
        // All of them end before the connection goes back; the first that failed says why.
        await Promise.allSettled(Object.values(begun));
        await begun.transaction;
        await begun.tenant;
        return await begun.work;
      } finally {
        // The answer does not wait for the end of a transaction that has changed nothing; the connection does.
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
   * Runs `work` in one ingest transaction (role plotline_ingest, which bypasses row level security because COPY cannot run under it).
   * The caller stamps the tenant of the ledger row on everything that it writes; one transaction has one tenant.
   */
  async withIngest<T>(work: (ingest: IngestTransaction) => Promise<T>): Promise<T> {
    if (!this.#ingestPool) throw new Error('this process has no ingest connection');
    let client: pg.PoolClient | null = null;
    let broken: Error | undefined;
    try {
      client = await this.#ingestPool.connect();
      const trx = new Kysely<Database>({ dialect: new PostgresDialect({ pool: singleConnectionPool(client) }) });
      await client.query('begin');
      try {
        const result = await work({ trx, client });
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch((rollbackError: Error) => {
          broken = rollbackError; // the connection is gone, and the transaction with it
        });
        throw error;
      }
    } catch (error) {
      throw mapStoreError(error);
    } finally {
      client?.release(broken);
    }
  }

  /** Listens to `channel`; notifications are hints, callers also poll. Reconnects by itself. Returns the function that ends it. */
  async listen(channel: string, onNotify: (payload: string) => void): Promise<() => Promise<void>> {
    let ended = false;
    let client: pg.Client | null = null;
    const connect = async (): Promise<void> => {
      const next = new pg.Client({
        connectionString: this.#appPool.options.connectionString,
        application_name: 'plotline-listen',
        connectionTimeoutMillis: connectTimeoutMs,
        keepAlive: true,
      });
      let listening = false;
      next.on('notification', (message) => onNotify(message.payload ?? ''));
      next.on('error', () => undefined); // 'end' follows
      next.once('end', () => {
        if (listening) reconnect();
      });
      await next.connect();
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

  /** The ways in which this process reaches Postgres, one for each role that it has. */
  get signIns(): readonly SignIn[] {
    const pools = { plotline_app: this.#appPool, plotline_ingest: this.#ingestPool, plotline_sweeper: this.#sweeperPool };
    return serviceRoles.flatMap((role) => {
      const pool = pools[role];
      if (pool === null) return [];
      return [{ role, url: pool.options.connectionString!, database: new Kysely<Database>({ dialect: new PostgresDialect({ pool }) }) }];
    });
  }

  /** Closes all connections; running transactions finish first. */
  async close(): Promise<void> {
    await Promise.all([this.#appPool.end(), this.#ingestPool?.end(), this.#sweeperPool?.end()]);
  }
}

/** Runs `send`, and hands what it sends on this connection to the system at once. */
function together<T>(client: pg.PoolClient, send: () => T): T {
  const { stream } = (client as pg.PoolClient & { connection: { stream: Socket } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** Lets Kysely run on a connection that somebody else checked out and releases. */
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
