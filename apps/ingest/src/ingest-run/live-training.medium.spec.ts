import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { decodeTail, settledPoints } from '#chunks';
import type { ExperimentId } from '#model';
import { Store } from '#store';
import { createTestDatabase, describeWith, type TestDatabase } from '#testing';
import { rollUpRun } from '../roll-up/roll-up-run.ts';
import { checkRollups } from '../testing/check-rollups.ts';
import { DeletionWorld, recordsOf, type TestTenant } from '../testing/deletion-world.ts';

/**
 * Two hours with one point per second and tag, and a commit every two minutes. Set LIVE_RUNS for
 * more runs.
 */
const seconds = 7_200;
const every = 120;
const runs = Number(process.env['LIVE_RUNS'] ?? 2);
const tags = ['loss', 'accuracy', 'rate'];

describeWith(['postgres'], 'a live training', () => {
  let database: TestDatabase;
  let store: Store;
  let world: DeletionWorld;
  let tenant: TestTenant;
  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    world = new DeletionWorld(store, new MemoryBlobStore());
    tenant = await world.tenant();
  });
  afterAll(async () => {
    await store?.close();
    await database?.drop();
  });

  /**
   * For each run: the number of points in its tail, and the chunk sizes of each series in step
   * order.
   */
  async function look(experimentId: ExperimentId) {
    return store.withTenant(tenant.tenantId, async ({ trx }) => {
      const stored = await trx
        .selectFrom('run')
        .select('run_id')
        .where('tenant_id', '=', tenant.tenantId)
        .where('experiment_id', '=', experimentId)
        .execute();
      return Promise.all(
        stored.map(async ({ run_id: runId }) => {
          const tail = await trx
            .selectFrom('run_tail')
            .select('body')
            .where('tenant_id', '=', tenant.tenantId)
            .where('run_id', '=', runId)
            .execute();
          const chunks = await trx
            .selectFrom('scalar_chunk as c')
            .innerJoin('series as s', (join) => join.onRef('s.tenant_id', '=', 'c.tenant_id').onRef('s.series_id', '=', 'c.series_id'))
            .select(['c.series_id', 'c.count', 'c.superseded'])
            .where('c.tenant_id', '=', tenant.tenantId)
            .where('s.run_id', '=', runId)
            .orderBy('c.first_step')
            .execute();
          expect(chunks.filter(({ superseded }) => superseded)).toEqual([]);
          const sizes = Map.groupBy(chunks, (chunk) => chunk.series_id);
          return {
            runId,
            tailRows: tail.length,
            tailPoints: tail.flatMap(({ body }) => decodeTail(body)).reduce((sum, { points }) => sum + points.steps.length, 0),
            series: [...sizes].map(([seriesId, own]) => ({ seriesId, sizes: own.map(({ count }) => count) })),
          };
        }),
      );
    });
  }

  it('leaves one short tail per run beside full chunks, and none when its files are complete', { timeout: 600_000 }, async () => {
    const experimentId = await world.experiment(tenant);
    const files = await Promise.all(Array.from({ length: runs }, (_, run) => world.open(tenant, experimentId, `run${run}`, 'tfevents.1')));
    let offset = 0;
    for (let second = 0; second < seconds; second += every) {
      const bytes = recordsOf(
        Array.from({ length: every }, (_, n) => ({
          step: BigInt(second + n),
          values: tags.map((tag, i) => ({ tag, scalar: (second + n) % (i + 7) })),
        })),
        second === 0,
      );
      for (const fileId of files) await world.append(tenant, experimentId, fileId, offset, bytes);
      offset += bytes.length;
      await world.ingest(tenant);
    }
    const live = await look(experimentId);
    expect(live).toHaveLength(runs);
    for (const { tailRows, tailPoints, series } of live) {
      expect(series).toHaveLength(tags.length);
      expect(tailRows).toBeLessThan(64);
      expect(tailPoints).toBeLessThanOrEqual(tags.length * (1_024 + every));
      expect(tailPoints + series.flatMap(({ sizes }) => sizes).reduce((sum, size) => sum + size, 0)).toBe(tags.length * seconds);
      for (const { sizes } of series) {
        const full = sizes.findIndex((size) => size < settledPoints);
        // Partial chunks occur only at the end of a series: the growing chunk, and the chunks that
        // will be joined with it.
        expect(sizes.slice(full).every((size) => size < settledPoints)).toBe(true);
        expect(sizes.length - full).toBeLessThanOrEqual(3);
        expect(full).toBeGreaterThan(0);
      }
    }
    for (const fileId of files) await world.complete(tenant, fileId, offset);
    for (const { runId, series } of live) {
      await world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId });
      expect(await rollUpRun(store, { tenantId: tenant.tenantId, experimentId, runId })).toBe('done');
      for (const { seriesId } of series) await checkRollups(store, tenant.tenantId, seriesId);
    }
    for (const { tailPoints, series } of await look(experimentId)) {
      expect(tailPoints).toBe(0);
      for (const { sizes } of series) expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(seconds);
    }
  });
});
