import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { TenantId } from '#model';
import type { Database } from './database.ts';
import { type RowIds, rowIds } from './row-ids.ts';

/**
 * An open transaction of one tenant. Queries of tenant data have a scope as parameter instead of a
 * connection and a tenant, so they cannot combine the transaction of one tenant with the id of
 * another. Only `Store` and `Operator` create scopes, one per transaction.
 *
 * ```ts store
 * import { findExperiment, insertExperiment } from './index.ts';
 *
 * const copyId = 'c'.repeat(22);
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
  /** Exists only for the compiler: it distinguishes scopes of different roles. */
  declare protected readonly role: Role;
  readonly tenantId: TenantId;
  /** The query builder, bound to the transaction. */
  readonly trx: Kysely<Database>;
  /** Makes the ids of new rows. */
  readonly rowIds: RowIds;

  constructor(tenantId: TenantId, trx: Kysely<Database>, ids: RowIds = rowIds) {
    this.tenantId = tenantId;
    this.trx = trx;
    this.rowIds = ids;
  }
}

/** A transaction of `Store.withTenant`: role plotline_app, under row-level security. */
export class TenantScope extends Scope<'app'> {}

/**
 * A transaction of `Store.withSnapshot`: a {@link TenantScope} that only reads, and sees one
 * moment. `client` is the connection of `trx`, for binary results.
 */
export class Snapshot extends TenantScope {
  readonly client: pg.PoolClient;

  constructor(tenantId: TenantId, trx: Kysely<Database>, client: pg.PoolClient) {
    super(tenantId, trx);
    this.client = client;
  }
}

/**
 * A transaction of `Store.withIngest`: role plotline_ingest, which bypasses row-level security, so
 * only the tenant condition of each query keeps tenants apart. `client` is the connection of `trx`,
 * for COPY. The connection is pipelined: queries that are started together share a round trip. Start
 * only queries of one statement together: if one failed, the second statement of another would be
 * sent after the rollback.
 */
export class IngestScope extends Scope<'ingest'> {
  readonly client: pg.PoolClient;

  constructor(tenantId: TenantId, trx: Kysely<Database>, client: pg.PoolClient, ids?: RowIds) {
    super(tenantId, trx, ids);
    this.client = client;
  }
}

/** A transaction of `Operator.run`: role plotline_migrator, which bypasses row-level security. */
export class OperatorScope extends Scope<'operator'> {}

/** The scope of queries that requests and ingest share. */
export type AnyScope = TenantScope | IngestScope;
