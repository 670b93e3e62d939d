import { expect, it } from 'vitest';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { fileIdOf, runIdOf, tenantIdOf } from '#model/testing';
import type { Database } from './database.ts';
import { claimRun } from './queries/ledger/claim-run.ts';
import { insertTail } from './queries/points/insert-tail.ts';
import { listScalarSeries } from './queries/points/list-scalar-series.ts';
import { readFile } from './queries/ledger/read-files.ts';
import { readShareLink } from './queries/people/read-share-link.ts';
import { writeWorkspaceLimits } from './queries/workspaces/write-workspace-limits.ts';
import { IngestScope, OperatorScope, Snapshot, TenantScope } from './scope.ts';
import type { Store } from './store.ts';

/*
 * The compiler must reject this code. `npm run check:types` fails if one of the marked lines
 * compiles. The functions are not called.
 */

type Filter = Parameters<typeof listScalarSeries>[1];

const rejected = {
  'a request does what only ingest may': (scope: TenantScope) =>
    // @ts-expect-error -- claims a run
    claimRun(scope, runIdOf('1')),
  'a snapshot does what only ingest may': (snapshot: Snapshot) =>
    // @ts-expect-error -- writes to a tail
    insertTail(snapshot, runIdOf('1'), { tailNo: 1, level: 0, ageMs: 0 }, []),
  'ingest does what only requests may': (ingest: IngestScope) =>
    // @ts-expect-error -- reads a share link
    readShareLink(ingest, 'link'),
  'a request does what only the operator may': (scope: TenantScope) =>
    // @ts-expect-error -- changes quotas
    writeWorkspaceLimits(scope, { by: 'request' }),
  'a query that needs the connection gets a scope without one': (scope: TenantScope, filter: Filter) =>
    // @ts-expect-error -- needs a snapshot
    listScalarSeries(scope, filter),
  'a query runs without a scope': (store: Store) =>
    // @ts-expect-error -- has no tenant
    readFile(store.global, fileIdOf('1')),
  'a transaction gets another tenant': (scope: TenantScope) =>
    // @ts-expect-error -- only the store makes scopes
    readFile({ trx: scope.trx, tenantId: tenantIdOf('other') }, fileIdOf('1')),
};
void rejected;

it('a scope is the transaction and its tenant', () => {
  const trx = {} as Kysely<Database>;
  const client = {} as pg.PoolClient;
  const scopes = [
    new TenantScope(tenantIdOf('t'), trx),
    new Snapshot(tenantIdOf('t'), trx, client),
    new IngestScope(tenantIdOf('t'), trx, client),
    new OperatorScope(tenantIdOf('t'), trx),
  ];
  for (const scope of scopes) expect(scope).toMatchObject({ tenantId: 't', trx });
});
