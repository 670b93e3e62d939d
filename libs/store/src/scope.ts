import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { TenantId } from '#model';
import type { Database } from './database.ts';
import { type RowIds, rowIds } from './row-ids.ts';

/**
 * An open transaction of one tenant. Queries on tenant data take a scope instead of a connection
 * and a tenant, so they cannot combine one tenant's transaction with another tenant's id. Only
 * `Store` and `Operator` create scopes, one per transaction.
 *
 * ```ts store
 * import { parseExperimentId } from '#model';
 * import { findExperiment, insertExperiment } from './index.ts';
 *
 * const copyId = parseExperimentId('c'.repeat(22));
 * const failing = store.withTenant(tenantId, async (scope) => {
 *   const { ownerId } = (await findExperiment(scope, experimentId))!;
 *   await insertExperiment(scope, { experimentId: copyId, name: 'Copy', description: '', ownerId, labels: [] });
 *   throw new Error('changed my mind');
 * });
 * await assert.rejects(failing, /changed my mind/);
 * assert.equal(await store.withTenant(tenantId, (scope) => findExperiment(scope, copyId)), null); // rolled back
 * ```
 */
abstract class Scope<Role extends string> {
  /** Exists only for the compiler, to distinguish scopes of different roles. */
  declare protected readonly role: Role;
  readonly tenantId: TenantId;
  /** The query builder, bound to the transaction. */
  readonly trx: Kysely<Database>;
  /** Generates the ids of new rows. */
  readonly rowIds: RowIds;

  constructor(tenantId: TenantId, trx: Kysely<Database>, ids: RowIds = rowIds) {
    this.tenantId = tenantId;
    this.trx = trx;
    this.rowIds = ids;
  }
}

/** A transaction of `Store.withTenant`, with the role plotline_app, under row-level security. */
export class TenantScope extends Scope<'app'> {}

/**
 * A transaction of `Store.withSnapshot`: a read-only {@link TenantScope} that sees one moment.
 * `client` is the connection of `trx`, for binary results.
 */
export class Snapshot extends TenantScope {
  readonly client: pg.PoolClient;

  constructor(tenantId: TenantId, trx: Kysely<Database>, client: pg.PoolClient) {
    super(tenantId, trx);
    this.client = client;
  }
}

/**
 * A transaction of `Store.withIngest`, with the role plotline_ingest. It bypasses row-level
 * security, so only each query's tenant condition keeps tenants apart. `client` is the connection
 * of `trx`, for COPY. The connection is pipelined: queries that start together share a round trip.
 * Start only single-statement queries together. If one query failed, another query's second
 * statement would be sent after the rollback.
 */
export class IngestScope extends Scope<'ingest'> {
  readonly client: pg.PoolClient;

  constructor(tenantId: TenantId, trx: Kysely<Database>, client: pg.PoolClient, ids?: RowIds) {
    super(tenantId, trx, ids);
    this.client = client;
  }
}

/**
 * A transaction of `Operator.run`, with the role plotline_migrator, which bypasses row-level
 * security.
 */
export class OperatorScope extends Scope<'operator'> {}

/** The scope for queries that requests and ingest share. */
export type AnyScope = TenantScope | IngestScope;
