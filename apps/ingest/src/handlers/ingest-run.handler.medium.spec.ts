import { randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { decodeTail } from '#chunks';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import {
  advanceEpoch,
  advanceFiles,
  ensureRun,
  insertExperiment,
  insertFile,
  insertPendingSegments,
  insertPerson,
  insertSegments,
  insertWorkspace,
  Store,
} from '#store';
import { createTestDatabase, describeWith, type TestDatabase, writeEventFile } from '#testing';
import { ingestRun } from '../ingest-run/ingest-run.ts';
import { IngestRunHandler } from './ingest-run.handler.ts';

const options = { maxBatchBytes: 16 * 1024 * 1024, tail: { maxPoints: 65_536, maxAgeMs: 3_600_000 } };

describeWith(['postgres'], 'a record that cannot be stored', () => {
  let database: TestDatabase;
  let store: Store;
  const tenantId = tenantIdOf(randomUUID());
  const experimentId = experimentIdOf('q'.repeat(22));

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    const ownerId = randomUUID();
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, async (scope) => {
      await insertWorkspace(scope, 'Test');
      await insertExperiment(scope, { experimentId, name: 'x', description: '', ownerId, labels: [] });
    });
  });

  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  /** Makes Postgres reject one tag, as if the tag had passed all of our checks. */
  async function rejectTag(tag: string): Promise<void> {
    const admin = new pg.Client({ connectionString: database.adminUrl });
    await admin.connect();
    await admin.query(`alter table series add constraint poison check (tag <> ${pg.escapeLiteral(tag)})`);
    await admin.end();
  }

  it('is quarantined with its reason after five attempts and halving; what is before and after it is stored', async () => {
    await rejectTag('poison');
    const bytes = writeEventFile([
      ...Array.from({ length: 40 }, (_, step) => ({ step, scalars: { loss: step } })),
      { step: 40, scalars: { poison: 1 } },
      ...Array.from({ length: 40 }, (_, i) => ({ step: 41 + i, scalars: { loss: 41 + i } })),
    ]);
    const { runId, fileId } = await store.withTenant(tenantId, async (scope) => {
      const run = (await ensureRun(scope, experimentId, 'run'))!;
      const file = (await insertFile(scope, { experimentId, runId: run, name: 'events.out.tfevents.1', version: 1 }))!;
      const epoch = await advanceEpoch(scope, experimentId, { acknowledged: bytes.length, stored: bytes.length });
      const range = { fileId: file, offset: 0, length: bytes.length, crc32c: crc32c(bytes) };
      await insertSegments(scope, [{ ...range, epoch, encoding: 0, body: bytes, objectKey: null }]);
      await insertPendingSegments(scope, experimentId, [{ runId: run, ...range }], epoch);
      await advanceFiles(scope, [{ fileId: file, durableOffset: bytes.length, crc32c: 0 }]);
      return { runId: run, fileId: file };
    });

    const job = { tenantId, experimentId, runId };
    const blobs = new MemoryBlobStore();
    const failures: unknown[] = [];
    const pool = {
      run: async () => ({ ...(await ingestRun(store, blobs, job, options)), committed: null }),
      rollUp: async () => 'done' as const,
    };
    const handler = new IngestRunHandler(store, pool, { maxBatchBytes: options.maxBatchBytes, believeLostAfterMs: 60_000 }, (error) =>
      failures.push(error),
    );
    const dueNow = () =>
      store.withTenant(tenantId, ({ trx }) =>
        trx
          .updateTable('run_work')
          .set({ retry_at: new Date(0) })
          .where('run_id', '=', runId)
          .execute(),
      );
    let tries = 0;
    for (; tries < 200; tries++) {
      const outcome = await handler.handle(job);
      if (outcome === 'little' || outcome === 'idle') break;
      await dueNow();
    }
    expect(failures.length).toBeGreaterThan(5);
    expect(failures.length).toBeLessThan(20);

    await store.withTenant(tenantId, async ({ trx }) => {
      const problems = await trx.selectFrom('file_problem').select(['file_id', 'reason', 'detail', 'offset']).execute();
      expect(problems).toEqual([
        { file_id: fileId, reason: 'quarantined', detail: expect.stringContaining('poison'), offset: expect.any(String) },
      ]);
      const tails = await trx.selectFrom('run_tail').select('body').orderBy('tail_no').execute();
      const inTail = tails.flatMap(({ body }) => decodeTail(body).flatMap((entry) => [...entry.points.steps]));
      const chunks = await trx.selectFrom('scalar_chunk').select('count').execute();
      expect(inTail.length + chunks.reduce((sum, chunk) => sum + chunk.count, 0)).toBe(80);
      expect(await trx.selectFrom('pending_segment').selectAll().execute()).toEqual([]);
      const progress = await trx.selectFrom('file_progress').select(['parsed_offset', 'rejected_bytes']).executeTakeFirstOrThrow();
      expect(Number(progress.parsed_offset)).toBe(bytes.length);
      expect(Number(progress.rejected_bytes)).toBeGreaterThan(16);
      const work = await trx.selectFrom('run_work').select(['failures', 'batch_bytes']).executeTakeFirstOrThrow();
      expect(work).toEqual({ failures: 0, batch_bytes: null });
    });
  });
});
