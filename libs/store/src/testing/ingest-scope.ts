import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { TenantId } from '#model';
import type { Database } from '../database.ts';
import { IngestScope } from '../scope.ts';

/** The scope of an ingest transaction on any connection. For queries that do not use COPY. */
export function ingestScope(tenantId: TenantId, trx: Kysely<Database>): IngestScope {
  return new IngestScope(tenantId, trx, undefined as unknown as pg.PoolClient);
}
