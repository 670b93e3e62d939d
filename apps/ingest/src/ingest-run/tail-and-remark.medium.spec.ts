import { expect, it } from 'vitest';
import type { FileId } from '#model';
import { describeWith } from '#testing';
import { checkUsage } from '../testing/check-usage.ts';
import { recordsOf, type TestEvent } from '../testing/deletion-world.ts';
import { useDeletionWorld } from '../testing/suite-world.ts';

describeWith(['postgres'], 'points in the tail of a run', () => {
  const suite = useDeletionWorld();

  it('are unchanged when another writer logs the same tag out of order, with values of another class', async () => {
    const tenant = await suite.world.tenant();
    const experimentId = await suite.world.experiment(tenant);
    const note = (step: bigint): TestEvent => ({ step, values: [{ tag: 'a', text: `at ${step}` }] });
    const files = {
      'tfevents.1': recordsOf([{ step: 100n, values: [{ tag: 'a', scalar: 1 }] }], true),
      // Starts while the first file is being written. Step 2 occurs twice.
      'tfevents.2': recordsOf([note(2n), note(19n), note(2n)], true, 1_700_000_000.5),
    };
    const fileIds: [FileId, number][] = [];
    for (const [name, bytes] of Object.entries(files)) {
      const fileId = await suite.world.open(tenant, experimentId, 'r', name);
      await suite.world.append(tenant, experimentId, fileId, 0, bytes);
      await suite.world.ingest(tenant);
      fileIds.push([fileId, bytes.length]);
    }
    // The tail is cut into chunks when no more data is expected.
    for (const [fileId, bytes] of fileIds) await suite.world.complete(tenant, fileId, bytes);
    const { run_id: runId } = await suite.store.withTenant(tenant.tenantId, ({ trx }) =>
      trx.selectFrom('run').select('run_id').where('experiment_id', '=', experimentId).executeTakeFirstOrThrow(),
    );
    await suite.world.ingestJob({ tenantId: tenant.tenantId, experimentId, runId });
    const { series } = await suite.world.logical(tenant, experimentId);
    expect(series.filter(({ data_class: kind }) => kind === 'scalar').flatMap(({ all }) => all.map(({ step }) => step))).toEqual([100n]);
    await checkUsage(suite.store, tenant.tenantId);
  });
});
