import { expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { readRunsWithOldTails, Store } from '#store';
import { createTestDatabase, describeWith } from '#testing';
import { DeletionWorld, recordsOf } from '../testing/deletion-world.ts';

describeWith(['postgres'], 'the tail of a run', () => {
  it('is found by its age from the first commit on, also after its rows were merged', async () => {
    const database = await createTestDatabase();
    const store = new Store(database);
    try {
      const world = new DeletionWorld(store, new MemoryBlobStore());
      const tenant = await world.tenant();
      const experimentId = await world.experiment(tenant);
      const fileId = await world.open(tenant, experimentId, 'run', 'events.out.tfevents.1');
      const levels = new Set<number>();
      let offset = 0;
      for (let step = 0; step < 100; step++) {
        const bytes = recordsOf([{ step: BigInt(step), values: [{ tag: 'loss', scalar: step }] }], step === 0);
        await world.append(tenant, experimentId, fileId, offset, bytes);
        offset += bytes.length;
        await world.ingest(tenant);
        const [oldest] = await store.withTenant(tenant.tenantId, ({ trx }) =>
          trx
            .selectFrom('run_tail')
            .select(['tail_no', 'part', 'level'])
            .where('tenant_id', '=', tenant.tenantId)
            .orderBy('created_at')
            .limit(1)
            .execute(),
        );
        expect(oldest).toMatchObject({ tail_no: '1', part: 0 });
        levels.add(oldest!.level);
        expect(await readRunsWithOldTails(store.sweeper, 0, 10)).toMatchObject([{ experimentId }]);
      }
      expect([...levels]).toEqual([0, 1]);
      expect(await readRunsWithOldTails(store.sweeper, 3_600_000, 10)).toEqual([]);
    } finally {
      await store.close();
      await database.drop();
    }
  });
});
