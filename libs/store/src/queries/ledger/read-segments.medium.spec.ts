import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fileIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from '../../database.ts';
import { PreparingClient } from '../../driver/preparing-client.ts';
import { TenantScope } from '../../scope.ts';
import { Plans } from '../../testing/plans.ts';
import { readSegments } from './read-segments.ts';

describeWith(['plain-postgres'], 'reading segments of a live run', () => {
  const tenantId = tenantIdOf('00000000-0000-0000-0000-00000000000a');
  const [fileId, otherId] = [fileIdOf('7'), fileIdOf('8')];
  /** Each segment has this many bytes. */
  const length = 100;
  const segments = 40_000;
  let database: TestDatabase;
  let db: Kysely<Database>;
  let plans: Plans;

  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1, Client: PreparingClient });
    const client = await pool.connect();
    await client.query(`set session_replication_role = replica`); // segments without their files
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    plans = await Plans.of(client);
    client.release();
    db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
    // The first ten segments are no longer kept, and the last ten are beyond the prefix.
    await sql`insert into segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body)
      select ${tenantId}::uuid, ${fileId}::bigint, n * ${length}::int, ${length}::int, n, case when n < ${segments}::int then 1 end, 0, '\\x00'
      from generate_series(10, ${segments + 9}) n`.execute(db);
    await sql`insert into segment (tenant_id, file_id, "offset", length, crc32c, epoch, encoding, body)
      values (${tenantId}, ${otherId}, 0, 10000000, 0, 1, 0, '\\x00')`.execute(db);
    await sql`analyze segment`.execute(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const numbers = async (start: number, end: number, limit = 256): Promise<number[]> =>
    (await readSegments(new TenantScope(tenantId, db), fileId, { start, end }, limit)).map(({ crc32c }) => crc32c);

  it('returns those that overlap the range, in order', async () => {
    expect(await numbers(2_000, 2_300)).toEqual([20, 21, 22]);
    expect(await numbers(2_099, 2_201)).toEqual([20, 21, 22]);
    expect(await numbers(2_100, 2_200)).toEqual([21]);
    expect(await numbers(2_000, 9_000, 3)).toEqual([20, 21, 22]);
    expect(await numbers(0, 1_150)).toEqual([10, 11]); // dropped bytes are skipped
    const end = segments * length;
    expect(await numbers(end - 150, end + 500)).toEqual([segments - 2, segments - 1]); // nothing beyond the prefix
    expect(await numbers(end, end + 500)).toEqual([]);
    expect(await readSegments(new TenantScope(tenantId, db), otherId, { start: 9_999_999, end: 10_000_001 }, 256)).toMatchObject([
      { offset: 0 },
    ]);
  });

  it('reads no more rows when very many tiny segments precede the range', async () => {
    // After five executions, Postgres keeps the plan of a prepared statement.
    for (let times = 0; times < 8; times++) {
      plans.clear();
      const start = (segments - 100) * length + times;
      expect(await numbers(start, start + 10 * length, 8)).toHaveLength(8);
      expect(plans.rowsHandled).toBeGreaterThanOrEqual(8);
      expect(plans.rowsHandled).toBeLessThan(100);
    }
  });
});
