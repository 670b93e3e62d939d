import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { experimentIdOf, runIdOf, tenantIdOf } from '#model/testing';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import type { Database } from '../../database.ts';
import { ingestScope } from '../../testing/ingest-scope.ts';
import { Plans } from '../../testing/plans.ts';
import { claimRun } from '../ledger/claim-run.ts';
import { readRunFiles } from '../ledger/read-run-files.ts';
import { readFilesToJoin } from './read-files-to-join.ts';
import { readPendingBytes } from './read-pending-bytes.ts';
import { type PendingRun, readPendingRuns } from './read-pending-runs.ts';
import { readUnheardExperiments } from './read-unheard.ts';

const runs = 200;
const segmentsPerRun = 100;
const tenants = ['00000000-0000-0000-0000-00000000000a', '00000000-0000-0000-0000-00000000000b'] as const;

describeWith(['plain-postgres'], 'a long list of pending segments (reliability test 58)', () => {
  let database: TestDatabase;
  let db: Kysely<Database>;
  let plans: Plans;

  beforeAll(async () => {
    database = await createTestDatabase();
    const pool = new pg.Pool({ connectionString: database.adminUrl, max: 1 });
    const client = await pool.connect();
    pool.on('error', () => undefined); // its database may be dropped before it has ended
    // Only the list, without the files and runs that it refers to, because these queries do not
    // read them.
    await client.query(`set session_replication_role = replica`);
    await client.query(
      `insert into pending_segment (tenant_id, experiment_id, run_id, file_id, "offset", length, epoch)
       select ($1::uuid[])[1 + r % 2], lpad((r % 10)::text, 22, 'e'), r, r, s * 100, case when r % 2 = 0 then 100 else 5000 end, s
       from generate_series(1, ${runs}) r, generate_series(0, ${segmentsPerRun - 1}) s order by s, r`,
      [tenants],
    );
    await client.query(
      `insert into run_work (tenant_id, run_id, experiment_id, retry_at)
       select ($1::uuid[])[1 + r % 2], r, lpad((r % 10)::text, 22, 'e'), case when r = 7 then now() + interval '1 hour' else now() end
       from generate_series(1, ${runs}) r`,
      [tenants],
    );
    await client.query(
      `insert into experiment (tenant_id, experiment_id, name, description, owner_id)
       select ($1::uuid[])[1 + r % 2], lpad(r::text, 22, 'e'), '', '', gen_random_uuid() from generate_series(0, 9) r`,
      [tenants],
    );
    await client.query(
      `insert into run (tenant_id, run_id, experiment_id, name, name_hash) overriding system value
       select ($1::uuid[])[1 + r % 2], r, lpad((r % 10)::text, 22, 'e'), r::text, int4send(r) from generate_series(1, ${runs}) r`,
      [tenants],
    );
    await client.query(
      // All files are complete, and the last one is fully ingested.
      `insert into event_file (tenant_id, experiment_id, run_id, name, name_hash, version, completed_bytes, completed_at)
       select ($1::uuid[])[1 + r % 2], lpad((r % 10)::text, 22, 'e'), r, 'f', '\\x00', 1, 100, now() from generate_series(1, ${runs + 1}) r order by r`,
      [tenants],
    );
    await client.query(
      `insert into file_progress (tenant_id, file_id, run_id, experiment_id) select tenant_id, file_id, run_id, experiment_id from event_file`,
    );
    await client.query('vacuum analyze');
    plans = await Plans.of(client);
    client.release();
    db = new Kysely<Database>({ dialect: new PostgresDialect({ pool }) });
  });
  afterAll(async () => {
    await db.destroy();
    await database.drop();
  });
  beforeEach(() => plans.clear());

  it.each([
    ['a single server', false],
    ['a cluster', true],
  ])('is swept in bounded parts on %s, each run once a round, without those that back off', async (_server, distributed) => {
    const seen: string[] = [];
    let after: PendingRun | null = null;
    let looks = 0;
    do {
      const { runs: found, next }: { runs: readonly PendingRun[]; next: PendingRun | null } = await readPendingRuns(
        db,
        after,
        30,
        distributed,
      );
      seen.push(...found.map(({ runId }) => runId));
      after = next;
      looks++;
    } while (after !== null);
    const expected = Array.from({ length: runs }, (_, i) => String(i + 1)).filter((runId) => runId !== '7');
    expect(seen.toSorted()).toEqual(expected.toSorted());
    expect(looks).toBe(Math.ceil((runs + 1) / 30));
  });

  it('lists experiments with unpublished batches once each, on a single server and on a cluster', async () => {
    const rows = [0, 1, 2, 3].flatMap((e) =>
      ['receive', 'run-1', 'run-2'].flatMap((worker) => [1, 2].map((number) => ({ e, worker, number }))),
    );
    for (const { e, worker, number } of rows.filter((row) => row.e !== 2 || row.worker === 'receive')) {
      await sql`insert into progress_batch (tenant_id, experiment_id, worker, number, changes)
        values (${tenants[e % 2]}, ${String(e).padStart(22, 'e')}, ${worker}, ${number}, '[]'::json)`.execute(db);
    }
    for (const distributed of [false, true]) {
      const found = await readUnheardExperiments(db, 10, distributed);
      expect(found.map(({ tenantId, experimentId }) => [tenantId, experimentId.at(-1)])).toEqual([
        [tenants[0], '0'],
        [tenants[1], '1'],
        [tenants[1], '3'],
      ]);
      expect(await readUnheardExperiments(db, 2, distributed)).toEqual(found.slice(0, 2));
    }
  });

  it('is swept through its index alone: one entry per run, however many segments it has', async () => {
    await readPendingRuns(db, null, 50);
    expect(plans.table('pending_segment')).toEqual({ ways: ['Index Only Scan'], rows: 50 });
  });

  it('does not slow down a claim, which reads the first segments of the run', async () => {
    const [file] = await db.transaction().execute(async (trx) => {
      const scope = ingestScope(tenantIdOf(tenants[0]), trx);
      expect(await claimRun(scope, runIdOf('20'))).toMatchObject({ failures: 0 });
      return readRunFiles(scope, experimentIdOf('e'.repeat(21) + '0'), runIdOf('20'), 10);
    });
    expect(file).toMatchObject({ more: true });
    expect(file!.pending.map(({ offset }) => offset)).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900]);
    const { ways, rows } = plans.table('pending_segment');
    expect(ways).toEqual(['Index Scan']);
    expect(rows).toBe(10);
  });

  it('does not slow down the search for files to join: one entry per file', async () => {
    expect(await readFilesToJoin(db, null, 50, 0)).toMatchObject({ files: [], next: expect.anything() });
    expect(plans.table('pending_segment')).toEqual({ ways: ['Index Only Scan'], rows: 50 });
    const { files, next } = await readFilesToJoin(db, null, 1_000, 0);
    expect(files).toEqual([{ tenantId: tenants[1], fileId: String(runs + 1) }]);
    expect(next).toBeNull();
  });

  it('is summed by tenant; a small segment counts as the minimum cost', async () => {
    const half = (runs / 2) * segmentsPerRun;
    expect((await readPendingBytes(db, 4096)).toSorted((a, b) => a.tenantId.localeCompare(b.tenantId))).toEqual([
      { tenantId: tenants[0], cost: half * 4096 },
      { tenantId: tenants[1], cost: half * 5000 },
    ]);
  });
});
