import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { experimentIdOf, fileIdOf, runIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from '../../database.ts';
import { PreparingClient } from '../../driver/preparing-client.ts';
import { ingestScope } from '../../testing/ingest-scope.ts';
import { Plans } from '../../testing/plans.ts';
import { settleSegments } from './settle-segments.ts';

describeWith(['plain-postgres'], 'settling segments', () => {
  const [tenantId, experimentId, runId, fileId] = [
    tenantIdOf('00000000-0000-0000-0000-00000000000a'),
    experimentIdOf('e'.repeat(22)),
    runIdOf('1'),
    fileIdOf('1'),
  ];
  const segments = 3_000;
  let database: TestDatabase;
  let db: Kysely<Database>;
  let plans: Plans;

  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1, Client: PreparingClient });
    const client = await pool.connect();
    await client.query(`set session_replication_role = replica`); // only the list, without the runs that it refers to
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    plans = await Plans.of(client);
    client.release();
    db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const settle = (offsets: readonly number[]): Promise<Map<number, number>> =>
    db.transaction().execute((trx) => settleSegments(ingestScope(tenantId, trx), experimentId, runId, [{ fileId, offsets }]));

  it('reads rows in proportion to a long backlog, also on a connection that has only seen short lists', async () => {
    // After five executions, Postgres keeps the plan of a prepared statement.
    for (let times = 0; times < 8; times++) expect(await settle([0, 100])).toEqual(new Map());
    await db
      .insertInto('pending_segment')
      .values(
        Array.from({ length: segments }, (_, n) => ({
          tenant_id: tenantId,
          experiment_id: experimentId,
          run_id: runId,
          file_id: fileId,
          offset: String(n * 100),
          length: 100,
          epoch: String(1 + (n % 2)),
        })),
      )
      .execute();
    plans.clear();
    const settled = await settle(Array.from({ length: segments }, (_, n) => n * 100));
    expect(settled).toEqual(
      new Map([
        [1, segments / 2],
        [2, segments / 2],
      ]),
    );
    expect(plans.rowsHandled).toBeGreaterThanOrEqual(segments);
    expect(plans.rowsHandled).toBeLessThanOrEqual(10 * segments);
  });

  it('reads as many rows at any position in the backlog', async () => {
    const other = fileIdOf('2');
    const [pending, step] = [60_000, 2_000];
    await sql`insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
      select ${tenantId}::uuid, ${experimentId}, ${runId}::bigint, ${other}::bigint, n * 100, 100, 1 from generate_series(0, ${pending - 1}) n`.execute(
      db,
    );
    await sql`analyze pending_segment`.execute(db);
    plans.clear();
    const offsets = Array.from({ length: step }, (_, n) => n * 100);
    const settled = await db
      .transaction()
      .execute((trx) => settleSegments(ingestScope(tenantId, trx), experimentId, runId, [{ fileId: other, offsets }]));
    expect(settled).toEqual(new Map([[1, step]]));
    expect(plans.rowsHandled).toBeGreaterThanOrEqual(step);
    expect(plans.rowsHandled).toBeLessThanOrEqual(10 * step);
  });

  it('reads nothing when there is nothing to settle', async () => {
    plans.clear();
    expect(await settle([])).toEqual(new Map());
    expect(plans.rowsHandled).toBe(0);
  });
});
