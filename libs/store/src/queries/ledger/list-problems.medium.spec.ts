import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from '../../database.ts';
import { PreparingClient } from '../../driver/preparing-client.ts';
import { TenantScope } from '../../scope.ts';
import { Plans } from '../../testing/plans.ts';
import { countProblems, countProblemsUpTo } from './list-problems.ts';

describeWith(['plain-postgres'], 'counting problems', () => {
  const tenantId = tenantIdOf('00000000-0000-0000-0000-00000000000a');
  const [own, other] = [experimentIdOf('e'.repeat(22)), experimentIdOf('f'.repeat(22))];
  const files = 20_000;
  let database: TestDatabase;
  let db: Kysely<Database>;
  let plans: Plans;

  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1, Client: PreparingClient });
    const client = await pool.connect();
    await client.query(`set session_replication_role = replica`); // files and runs without the experiment that they refer to
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    plans = await Plans.of(client);
    client.release();
    db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
    const tail = 10;
    for (const [at, experimentId] of [own, other].entries()) {
      const firstId = at * files;
      await sql`
        insert into run (tenant_id, run_id, experiment_id, name, name_hash) overriding system value
        values (${tenantId}, ${at + 1}, ${experimentId}, 'train', 'x')`.execute(db);
      await sql`
        insert into event_file (tenant_id, file_id, experiment_id, run_id, name, name_hash, version, durable_offset, completed_bytes) overriding system value
        select ${tenantId}, ${firstId}::int8 + n, ${experimentId}, ${at + 1}, 'events.' || n, int4send(n), 1, 100, 100 from generate_series(1, ${files}::integer) n`.execute(
        db,
      );
      // The last record of one file is truncated.
      await sql`
        insert into file_progress (tenant_id, file_id, run_id, experiment_id, parsed_offset)
        select ${tenantId}, ${firstId}::int8 + n, ${at + 1}, ${experimentId}, case n when 7000 then ${100 - tail}::int8 else 100 end from generate_series(1, ${files}::integer) n`.execute(
        db,
      );
    }
    await sql`analyze`.execute(db);
  });
  afterAll(async () => {
    await db?.destroy();
    await database?.drop();
  });

  const count = async (max: number): Promise<number> => {
    plans.clear();
    return countProblemsUpTo(new TenantScope(tenantId, db), own, null, max);
  };

  it('reads no file of the workspace more than once', async () => {
    expect(await count(100)).toBe(1);
    expect(plans.table('event_file').rows).toBeLessThanOrEqual(files + 1); // the damaged file is read again, for its run
    expect(plans.table('file_progress').rows).toBeLessThanOrEqual(2 * files);
  });

  it('stops at the bound', async () => {
    await sql`
      insert into file_problem (tenant_id, file_id, "offset", problem_no, run_id, experiment_id, reason, detail, bytes, ends_file)
      select ${tenantId}, 1 + n / 10, n, 0, 1, ${own}, 'bad-data-checksum', 'd', 10, false from generate_series(1, 5000) n`.execute(db);
    await sql`analyze file_problem`.execute(db);
    expect(await count(100)).toBe(100);
    expect(plans.rowsHandled).toBeLessThan(2_000);
    expect(await count(10_000)).toBe(5_001);
    expect((await countProblems(new TenantScope(tenantId, db), own, null)).problems).toBe(5_001);
  });
});
