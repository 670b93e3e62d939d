import { randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { decodeBody, decodeTail, markSuperseded, ordinalAt } from '#chunks';
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
import { createTestDatabase, describeWith, type EventSpec, type TestDatabase, writeEventFile } from '#testing';
import { ingestRun } from './ingest-run.ts';

interface Logged {
  readonly step: bigint;
  readonly value: number;
}

/** One event of a generated log: a scalar, or a SessionLog START. */
type LogEvent = { readonly kind: 'scalar'; readonly step: number } | { readonly kind: 'start'; readonly step: number };

const tag = 'loss';
const tail = { maxPoints: 65_536, maxAgeMs: 3_600_000 };

/** Data rule 2 by its words, in O(n²): the points of all files in log order, and whether each is superseded. */
function naive(files: readonly (readonly LogEvent[])[]): { superseded: boolean; step: bigint }[] {
  const all = files.flat();
  let firstStart = true;
  const counts = all.map((event) => {
    if (event.kind !== 'start') return true;
    const counting = !firstStart;
    firstStart = false;
    return counting;
  });
  return all.flatMap((event, i) =>
    event.kind === 'scalar'
      ? [{ step: BigInt(event.step), superseded: all.some((later, j) => j > i && counts[j] && later.step <= event.step) }]
      : [],
  );
}

describeWith(['postgres'], 'ingesting a run', () => {
  let database: TestDatabase;
  let store: Store;
  const tenantId = randomUUID();
  const ownerId = randomUUID();
  let experiments = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, (trx) => insertWorkspace(trx, tenantId, 'Test'));
  });

  afterAll(async () => {
    await store.close();
    await database.drop();
  });

  /** A run with files of these names and bytes, nothing of which is acknowledged yet. */
  async function makeRun(files: readonly { name: string; bytes: Uint8Array }[]) {
    const experimentId = String(++experiments).padStart(22, 'e');
    return store.withTenant(tenantId, async (trx) => {
      await insertExperiment(trx, tenantId, { experimentId, name: 'x', description: '', ownerId, labels: [] });
      const runId = (await ensureRun(trx, tenantId, experimentId, 'run'))!;
      const fileIds: string[] = [];
      for (const file of files) fileIds.push((await insertFile(trx, tenantId, { experimentId, runId, name: file.name, version: 1 }))!);
      return { experimentId, runId, fileIds };
    });
  }

  async function acknowledge(
    run: { experimentId: string; runId: string },
    fileId: string,
    offset: number,
    bytes: Uint8Array,
  ): Promise<void> {
    await store.withTenant(tenantId, async (trx) => {
      const epoch = await advanceEpoch(trx, tenantId, run.experimentId, bytes.length, bytes.length);
      const range = { fileId, offset, length: bytes.length, crc32c: crc32c(bytes) };
      await insertSegments(trx, tenantId, [{ ...range, epoch, encoding: 0, body: bytes, objectKey: null }]);
      await insertPendingSegments(trx, tenantId, run.experimentId, [{ runId: run.runId, ...range }], epoch);
      await advanceFiles(trx, tenantId, [{ fileId, durableOffset: offset + bytes.length, crc32c: 0 }]);
    });
  }

  /** All points of the run's series as stored: chunks, then tail; in log order. */
  async function readPoints(run: { runId: string; fileIds: readonly string[] }): Promise<(Logged & { superseded: boolean })[]> {
    return store.withTenant(tenantId, async (trx) => {
      const chunks = await trx
        .selectFrom('scalar_chunk as c')
        .innerJoin('series as s', 's.series_id', 'c.series_id')
        .selectAll('c')
        .where('s.run_id', '=', run.runId)
        .where('s.tag', '=', tag)
        .execute();
      const tails = await trx.selectFrom('run_tail').select('body').where('run_id', '=', run.runId).orderBy('tail_no').execute();
      const points = chunks.flatMap((chunk) => {
        const body = decodeBody(chunk.body);
        expect(body.points.steps.length).toBe(chunk.count);
        return [...body.points.steps].map((step, i) => ({
          rank: run.fileIds.indexOf(chunk.file_id),
          ordinal: ordinalAt(body.ordinals, i),
          step,
          value: body.points.values[i]!,
          superseded: chunk.superseded,
        }));
      });
      const entries = tails.flatMap(({ body }) => decodeTail(body));
      const tailSteps = entries.flatMap((entry) => [...entry.points.steps]);
      const marks = markSuperseded(BigInt64Array.from(tailSteps), [], null).superseded;
      let at = 0;
      for (const entry of entries) {
        entry.points.steps.forEach((step, i) => {
          points.push({
            rank: run.fileIds.indexOf(entry.fileId),
            ordinal: entry.firstOrdinal + i,
            step,
            value: entry.points.values[i]!,
            superseded: marks[at++] === 1,
          });
        });
      }
      return points.toSorted((a, b) => a.rank - b.rank || a.ordinal - b.ordinal);
    });
  }

  const event = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('scalar' as const), step: fc.integer({ min: 0, max: 20 }) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const), step: fc.integer({ min: 0, max: 20 }) }) },
  );

  it(
    'gives the series of the restart rule, whatever the order of arrival, the batches and repeated jobs (E.12, E.23)',
    { timeout: 300_000 },
    async () => {
      const runs = Number(process.env.INGEST_ORDERS ?? 60);
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(event, { maxLength: 25 }), { minLength: 1, maxLength: 3 }),
          fc.infiniteStream(fc.nat()),
          async (files, choices) => {
            const choose = (below: number): number => choices.next().value % below;
            let value = 0;
            const written = files.map((events, i) => ({
              name: `events.out.tfevents.${i}`,
              bytes: writeEventFile(
                events.map((e): EventSpec =>
                  e.kind === 'start' ? { step: e.step, sessionStart: true } : { step: e.step, scalars: { [tag]: value++ } },
                ),
              ),
            }));
            const run = await makeRun(written);
            const blobs = new MemoryBlobStore();
            const job = { tenantId, ...run };
            const offsets = written.map(() => 0);
            while (offsets.some((offset, i) => offset < written[i]!.bytes.length)) {
              const i = choose(files.length);
              const { bytes } = written[i]!;
              if (offsets[i]! >= bytes.length) continue;
              const end = Math.min(bytes.length, offsets[i]! + 1 + choose(400));
              await acknowledge(run, run.fileIds[i]!, offsets[i]!, bytes.subarray(offsets[i], end));
              offsets[i] = end;
              if (choose(3) === 0)
                await ingestRun(store, blobs, job, { maxBatchBytes: 1 + choose(500), maxSegmentsPerFile: 1 + choose(4), tail });
            }
            while ((await ingestRun(store, blobs, job, { maxBatchBytes: 300, maxSegmentsPerFile: 2, tail })) === 'more');
            const before = await readPoints(run);
            expect(await ingestRun(store, blobs, job, { maxBatchBytes: 300, tail })).toBe('little');
            const points = await readPoints(run);
            expect(points).toEqual(before);
            expect(points.map(({ step, superseded }) => ({ step, superseded }))).toEqual(naive(files));
            expect(points.map((point) => point.value)).toEqual(points.map((_, i) => i));
            const pending = await store.withTenant(tenantId, (trx) =>
              trx.selectFrom('pending_segment').selectAll().where('run_id', '=', run.runId).execute(),
            );
            expect(pending).toEqual([]);
          },
        ),
        { numRuns: runs },
      );
    },
  );
});
