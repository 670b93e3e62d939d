import { expect, it } from 'vitest';
import { type InTenant, joinOriginal, readFileRange } from '#originals';
import { describeWith, seededRandom } from '#testing';
import { recordsOf, type TestEvent, type TestTenant } from '../testing/deletion-world.ts';
import { useDeletionWorld } from '../testing/suite-world.ts';

describeWith(['postgres'], 'ranges stored as columns', () => {
  const suite = useDeletionWorld();

  const events = Array.from({ length: 6_000 }, (_, i): TestEvent => {
    const step = BigInt(i % 4_000); // the run starts again
    if (i === 2_000) return { step, start: true, values: [] };
    if (i % 500 === 0)
      return {
        step,
        values: [
          { tag: 'weights', tensor: [i, i + 1] },
          { tag: 'image', images: [Buffer.alloc(3_000, i)] },
        ],
      };
    if (i % 7 === 0)
      return {
        step,
        values: [
          { tag: 'a', scalar: i },
          { tag: 'b', scalar: -i },
        ],
      };
    return { step, values: [{ tag: i % 2 === 0 ? 'loss' : 'lr', scalar: Math.sin(i) }] };
  });
  const file = Buffer.from(recordsOf(events, true));

  /** Uploads the file in ranges that end at these offsets, and ingests after some of the ranges. */
  async function upload(tenant: TestTenant, cuts: readonly number[], columns: (range: number) => boolean) {
    const experimentId = await suite.world.experiment(tenant);
    const fileId = await suite.world.open(tenant, experimentId, 'r', 'tfevents.1');
    const places = [0, ...cuts, file.length];
    for (let i = 0; i + 1 < places.length; i++) {
      const range = file.subarray(places[i], places[i + 1]);
      await suite.world.append(tenant, experimentId, fileId, places[i]!, range, { columns: columns(i) });
      if (i % 3 === 2) await suite.world.ingest(tenant);
    }
    await suite.world.complete(tenant, fileId, file.length);
    await suite.world.ingest(tenant);
    return { experimentId, fileId };
  }

  async function bytesOf({ tenantId }: TestTenant, { fileId }: Awaited<ReturnType<typeof upload>>): Promise<Buffer> {
    const inTenant: InTenant = (work) => suite.store.withTenant(tenantId, work, { readOnly: true });
    const source = { inTenant, blobs: suite.world.blobs, tenantId, fileId };
    const pieces: Buffer[] = [];
    for await (const piece of readFileRange(source, { start: 0, end: file.length })) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  it('have the same points and bytes as others, whole and in pieces, before and after joining', async () => {
    const tenant = await suite.world.tenant();
    const expected = await suite.world.logical(tenant, (await upload(tenant, [], () => false)).experimentId);
    expect(expected.series.map(({ tag }) => tag).toSorted()).toEqual(['a', 'b', 'image', 'loss', 'lr', 'weights']);
    const random = seededRandom(7);
    const some = (count: number) => Array.from({ length: count }, () => Math.floor(random() * file.length)).toSorted((a, b) => a - b);
    for (const [cuts, columns] of [
      [[], () => true],
      [some(6), () => true],
      [some(6), (range: number) => range % 2 === 0],
      [some(40), () => true],
    ] as const) {
      const uploaded = await upload(tenant, cuts, columns);
      expect(await suite.world.logical(tenant, uploaded.experimentId)).toEqual(expected);
      expect((await bytesOf(tenant, uploaded)).equals(file)).toBe(true);
      expect(await joinOriginal(suite.store, suite.world.blobs, tenant.tenantId, uploaded.fileId)).toBe('joined');
      expect((await bytesOf(tenant, uploaded)).equals(file)).toBe(true);
    }
  });
});
