import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ownerOf } from '#auth/testing';
import { requestDeletion } from '#experiments';
import type { ExperimentId } from '#model';
import { readFileRange } from '#originals';
import { listFiles, listProblems } from '#store';
import { describeWith } from '#testing';
import { workOnDeletion } from '../deletion/work-on-deletion.ts';
import { checkUsage } from '../testing/check-usage.ts';
import { recordsOf, type TestEvent, type TestTenant } from '../testing/deletion-world.ts';
import { useDeletionWorld } from '../testing/suite-world.ts';

describeWith(['postgres'], 'files of a writer with wrong data checksums', () => {
  const suite = useDeletionWorld();

  const point = (step: number): TestEvent => ({ step: BigInt(step), values: [{ tag: step % 5 === 0 ? 'fifth' : 'loss', scalar: step }] });
  /**
   * The records of a file, starting with the version record. Records for which `isBad` returns true
   * have a wrong data checksum.
   */
  const fileOf = (points: number, isBad: (record: number) => boolean): Buffer[] =>
    Array.from({ length: points + 1 }, (_, i) => {
      const bytes = Buffer.from(i === 0 ? recordsOf([], true) : recordsOf([point(i)], false));
      if (isBad(i)) bytes[bytes.length - 1]! ^= 0x55;
      return bytes;
    });

  /** Uploads and ingests the bytes in ranges that end at these offsets. */
  async function upload(tenant: TestTenant, bytes: Buffer, cuts: readonly number[]) {
    const experimentId = await suite.world.experiment(tenant);
    const fileId = await suite.world.open(tenant, experimentId, 'r', 'tfevents.1');
    const places = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
    for (const [i, end] of [...places, bytes.length].entries()) {
      const start = i === 0 ? 0 : places[i - 1]!;
      if (end === start) continue;
      await suite.world.append(tenant, experimentId, fileId, start, bytes.subarray(start, end));
      await suite.world.ingest(tenant);
    }
    await suite.world.complete(tenant, fileId, bytes.length);
    return { experimentId, fileId };
  }

  async function stateOf({ tenantId, personId }: TestTenant, experimentId: ExperimentId) {
    const { files, problems, runId } = await suite.store.withTenant(tenantId, async (scope) => ({
      files: (await listFiles(scope, experimentId, 10, null, null))!,
      problems: (await listProblems(scope, experimentId, 100, null, null))!,
      runId: (await scope.trx.selectFrom('run').select('run_id').where('experiment_id', '=', experimentId).executeTakeFirstOrThrow())
        .run_id,
    }));
    await suite.world.ingestJob({ tenantId, experimentId, runId });
    const { series } = await suite.world.logical({ tenantId, personId }, experimentId);
    const points = series.flatMap(({ all }) => all.map(({ step }) => Number(step))).sort((a, b) => a - b);
    return { points, files: files.map((f) => [f.records, f.unverifiedRecords]), problems: problems.map((p) => p.reason) };
  }

  it('are read and marked, however the bytes arrive; one damaged record among good ones stays damage', async () => {
    const tenant = await suite.world.tenant();
    const bad = fc.oneof(
      fc.constant((): boolean => true),
      fc.nat(12).map((first) => (record: number) => record < first),
      fc.nat(12).map((one) => (record: number) => record === one),
    );
    await fc.assert(
      fc.asyncProperty(bad, fc.integer({ min: 1, max: 12 }), fc.array(fc.nat(2_000), { maxLength: 5 }), async (isBad, count, cuts) => {
        const records = fileOf(count, isBad);
        const run = records.findIndex((_, i) => !isBad(i));
        const leading = run < 0 ? records.length : run;
        const unverified = leading < 2 ? 0 : leading;
        const { experimentId } = await upload(tenant, Buffer.concat(records), cuts);
        const read = records.flatMap((_, i) => (i > 0 && (!isBad(i) || i < unverified) ? [i] : []));
        const damaged = records.flatMap((_, i) => (isBad(i) && i >= unverified ? ['data-checksum'] : []));
        expect(await stateOf(tenant, experimentId)).toEqual({
          points: read,
          files: [[records.length, unverified]],
          problems: [...(unverified > 0 ? ['unverified-records'] : []), ...damaged],
        });
      }),
      { numRuns: 40, interruptAfterTimeLimit: 40_000 },
    );
    await checkUsage(suite.store, tenant.tenantId);
  }, 120_000);

  it('lose deleted points like other files, and stay marked', async () => {
    const tenant = await suite.world.tenant();
    const bytes = Buffer.concat(fileOf(20, () => true));
    const { experimentId, fileId } = await upload(tenant, bytes, []);
    const { deletionId } = await suite.store.withTenant(tenant.tenantId, (scope) =>
      requestDeletion(scope, ownerOf(tenant), experimentId, { tags: ['fifth'] }),
    );
    const bounds = { leaseMs: 60_000, retryMs: 0, rowsAtOnce: 100 };
    expect(await workOnDeletion(suite.store, suite.world.blobs, { tenantId: tenant.tenantId, deletionId }, bounds)).toBe('done');
    const expected = Array.from({ length: 20 }, (_, i) => i + 1).filter((step) => step % 5 !== 0);
    expect((await stateOf(tenant, experimentId)).points).toEqual(expected);
    const content: Buffer[] = [];
    const inTenant = <T>(work: Parameters<typeof suite.store.withTenant<T>>[1]) => suite.store.withTenant(tenant.tenantId, work);
    for await (const piece of readFileRange(
      { inTenant, blobs: suite.world.blobs, tenantId: tenant.tenantId, fileId },
      { start: 0, end: bytes.length },
    ))
      content.push(piece);
    const again = await upload(tenant, Buffer.concat(content), [100, 500]);
    expect(await stateOf(tenant, again.experimentId)).toEqual({ points: expected, files: [[21, 21]], problems: ['unverified-records'] });
  });
});
