import { randomUUID } from 'node:crypto';
import { crc32c } from '@node-rs/crc32';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { MemoryBlobStore } from '#blobs/testing';
import { decodeBody, ordinalAt } from '#chunks';
import type { ExperimentId, FileId, RunId } from '#model';
import { experimentIdOf, tenantIdOf } from '#model/testing';
import { tailsBySeries } from '#series';
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
  readRunsWithOldTails,
  Operator,
  requestRemark,
  Store,
} from '#store';
import { createTestDatabase, describeWith, type EventSpec, type TestDatabase, writeEventFile } from '#testing';
import { ingestRun } from './ingest-run.ts';

interface Logged {
  readonly step: bigint;
  readonly value: number;
}

/**
 * One event in a generated log: a scalar or a SessionLog START. Its wall time is this many seconds
 * after the start of its file.
 */
interface LogEvent {
  readonly kind: 'scalar' | 'start';
  readonly step: number;
  readonly after: number;
}

/** A generated file: either a log of its own, or a prefix of an earlier file under another name. */
interface DrawnFile {
  /** A later file with the same name is the next version. */
  readonly name: number;
  readonly begin: number;
  readonly events: readonly LogEvent[];
  readonly copy: { readonly of: number; readonly part: number } | null;
}

interface WrittenFile {
  readonly name: string;
  readonly version: number;
  readonly begin: number;
  readonly events: readonly LogEvent[];
  readonly bytes: Uint8Array;
}

const tag = 'loss';
const tail = { maxPoints: 65_536, maxAgeMs: 3_600_000 };

/** The files, with unique values, and which of them are complete. */
function write(drawn: readonly DrawnFile[]): WrittenFile[] {
  const written: WrittenFile[] = [];
  const versions = new Map<number, number>();
  for (const [i, { name, begin, events, copy }] of drawn.entries()) {
    const version = (versions.get(name) ?? 0) + 1;
    versions.set(name, version);
    const place = { name: `events.out.tfevents.${'x'.repeat(name)}`, version };
    const source = copy === null ? undefined : written[copy.of % Math.max(i, 1)];
    if (source) {
      written.push({ ...source, ...place, bytes: source.bytes.subarray(0, Math.ceil(source.bytes.length * copy!.part)) });
      continue;
    }
    const specs = events.map((e, at): EventSpec => {
      const wallTime = begin + e.after;
      return e.kind === 'start'
        ? { step: e.step, wallTime, sessionStart: true }
        : { step: e.step, wallTime, scalars: { [tag]: i * 100 + at } };
    });
    // The time in the version record is unique per file, as with the clocks of real writers.
    const bytes = writeEventFile([{ wallTime: begin + i / 64, fileVersion: 'brain.Event:2' }, ...specs]);
    written.push({ ...place, begin: begin + i / 64, events, bytes });
  }
  return written;
}

/**
 * A literal, O(n²) implementation of data rule 2. For each file, in log order, whether each of its
 * points is superseded; null for a copy.
 */
function naive(files: readonly WrittenFile[]): (boolean[] | null)[] {
  const begins = (long: Uint8Array, short: Uint8Array): boolean => Buffer.from(long.subarray(0, short.length)).equals(Buffer.from(short));
  // Another log was started under its name. If its bytes are found under another name, it was
  // renamed.
  const isOutdated = (file: WrittenFile): boolean =>
    files.some((other) => other.name === file.name && other.version > file.version && recordEnds(other.bytes).length > 0);
  const isPreferred = (other: WrittenFile, file: WrittenFile): boolean => {
    if (isOutdated(other) !== isOutdated(file)) return isOutdated(file);
    if (other.bytes.length !== file.bytes.length) return other.bytes.length > file.bytes.length;
    return other.name.length < file.name.length || (other.name === file.name && other.version > file.version);
  };
  // A copy of a copy is a copy of the original. A shorter newer version is not a copy of the older
  // one.
  const isCopy = (file: WrittenFile): boolean =>
    files.some(
      (other) =>
        other !== file &&
        begins(other.bytes, file.bytes) &&
        isPreferred(other, file) &&
        !(other.name === file.name && other.version < file.version) &&
        !isCopy(other),
    );
  const logs = files.map((file) => {
    // The last record of a truncated file may be incomplete.
    let size = 0;
    const wholeEvents: LogEvent[] = [];
    const offsets = recordEnds(file.bytes);
    for (const [at, event] of file.events.entries()) if (at + 1 < offsets.length) wholeEvents.push(event);
    size = offsets.length;
    return { events: wholeEvents, hasRecords: size > 0 };
  });
  const counts = files.map(
    (file) => !isCopy(file) && !files.some((other, j) => other.name === file.name && other.version > file.version && logs[j]!.hasRecords),
  );
  const order = files
    .map((file, i) => ({
      file,
      i,
      times: logs[i]!.hasRecords ? [file.begin, ...logs[i]!.events.map((e) => Math.floor(file.begin) + e.after)] : [],
    }))
    .filter(({ i }) => counts[i])
    .map((entry) => ({ ...entry, first: Math.min(...entry.times), last: Math.max(...entry.times) }))
    .sort((a, b) => a.first - b.first || (a.file.name < b.file.name ? -1 : 1));
  const firstStart = order.flatMap(({ i }) => logs[i]!.events.filter((e) => e.kind === 'start'))[0];
  const bears = (e: LogEvent): boolean => e.kind === 'scalar' || e !== firstStart;
  return files.map((file, i) => {
    if (isCopy(file)) return null;
    const { events } = logs[i]!;
    if (!counts[i]) return events.filter((e) => e.kind === 'scalar').map(() => true);
    const own = order.find((entry) => entry.i === i)!;
    const later = order.filter((entry) => entry.first > own.last).flatMap((entry) => logs[entry.i]!.events.filter(bears));
    const inSession = sessionMarks(events);
    return events.flatMap((event, at) => {
      if (event.kind === 'start') return [];
      const nextStart = events.findIndex((e, n) => n > at && e.kind === 'start');
      const behind = nextStart < 0 ? [] : events.slice(nextStart).filter(bears);
      return [inSession[at]! || [...behind, ...later].some((e) => e.step <= event.step)];
    });
  });
}

/** The rule for the sessions of one file, applied to the points that are effective so far. */
function sessionMarks(events: readonly LogEvent[]): boolean[] {
  const marks = events.map(() => false);
  let effective: { step: number; at: number }[] = [];
  let phase = { begin: 0, step: 0, again: 0, last: Infinity };
  events.forEach(({ kind, step }, at) => {
    if (kind === 'start') {
      effective = [];
      phase = { begin: at, step, again: 0, last: Infinity };
      return;
    }
    if (step <= phase.last) phase = { begin: at, step, again: 0, last: step };
    const lost = new Set(effective.filter((point) => point.step === step));
    if (lost.size > 0) phase.again++;
    if (phase.again === 2) for (const point of effective) if (point.at < phase.begin && point.step >= phase.step) lost.add(point);
    for (const point of lost) marks[point.at] = true;
    effective = [...effective.filter((point) => !lost.has(point)), { step, at }];
    phase.last = step;
  });
  return marks;
}

/** The offsets at which the complete records of a file end. */
function recordEnds(bytes: Uint8Array): number[] {
  const ends: number[] = [];
  for (let at = 0; at + 12 <= bytes.length;) {
    at += 16 + Number(new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getBigUint64(at, true));
    if (at <= bytes.length) ends.push(at);
  }
  return ends;
}

describeWith(['postgres'], 'ingesting a run', () => {
  let database: TestDatabase;
  let operator: Operator;
  let store: Store;
  const tenantId = tenantIdOf(randomUUID());
  const ownerId = randomUUID();
  let experiments = 0;

  beforeAll(async () => {
    database = await createTestDatabase();
    store = new Store(database);
    operator = new Operator(database.migratorUrl);
    await insertPerson(store.global, ownerId, 'Ada');
    await store.withTenant(tenantId, (scope) => insertWorkspace(scope, 'Test'));
  });

  afterAll(async () => {
    await operator.close();
    await store.close();
    await database.drop();
  });

  /** A run with files of these names and bytes, none of which are acknowledged yet. */
  async function makeRun(files: readonly { name: string; version: number; bytes: Uint8Array }[]) {
    const experimentId = experimentIdOf(String(++experiments).padStart(22, 'e'));
    return store.withTenant(tenantId, async (scope) => {
      await insertExperiment(scope, { experimentId, name: 'x', description: '', ownerId, labels: [] });
      const runId = (await ensureRun(scope, experimentId, 'run'))!;
      const fileIds: FileId[] = [];
      for (const file of files) fileIds.push((await insertFile(scope, { experimentId, runId, name: file.name, version: file.version }))!);
      return { experimentId, runId, fileIds };
    });
  }

  async function acknowledge(
    run: { experimentId: ExperimentId; runId: RunId },
    fileId: FileId,
    offset: number,
    bytes: Uint8Array,
    end: number,
  ): Promise<void> {
    await store.withTenant(tenantId, async (scope) => {
      const part = bytes.subarray(offset, end);
      const epoch = await advanceEpoch(scope, run.experimentId, { acknowledged: part.length, stored: part.length });
      const range = { fileId, offset, length: part.length, crc32c: crc32c(part) };
      await insertSegments(scope, [{ ...range, epoch, encoding: 0, body: part, objectKey: null }]);
      await insertPendingSegments(scope, run.experimentId, [{ runId: run.runId, ...range }], epoch);
      await advanceFiles(scope, [{ fileId, durableOffset: end, crc32c: crc32c(bytes.subarray(0, end)) }]);
    });
  }

  /** All stored points of the run's series, first in chunks, then in the tail, in log order. */
  async function readPoints(run: {
    runId: RunId;
    fileIds: readonly FileId[];
  }): Promise<(Logged & { rank: number; superseded: boolean })[]> {
    return store.withTenant(tenantId, async ({ trx }) => {
      const chunks = await trx
        .selectFrom('scalar_chunk as c')
        .innerJoin('series as s', (join) => join.onRef('s.tenant_id', '=', 'c.tenant_id').onRef('s.series_id', '=', 'c.series_id'))
        .selectAll('c')
        .where('c.tenant_id', '=', tenantId)
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
      for (const series of tailsBySeries(tails.map(({ body }) => ({ runId: run.runId, body }))).values()) {
        for (const piece of series.pieces) {
          piece.points.steps.forEach((step, i) => {
            points.push({
              rank: run.fileIds.indexOf(piece.fileId),
              ordinal: piece.firstOrdinal + i,
              step,
              value: piece.points.values[i]!,
              superseded: piece.superseded[i] === 1,
            });
          });
        }
      }
      return points.toSorted((a, b) => a.rank - b.rank || a.ordinal - b.ordinal);
    });
  }

  function expectRule(written: readonly WrittenFile[], points: readonly (Logged & { rank: number; superseded: boolean })[]): void {
    for (const [rank, marks] of naive(written).entries()) {
      const own = points.filter((point) => point.rank === rank);
      expect(own.map(({ superseded }) => superseded)).toEqual(marks ?? []);
      const scalars = written[rank]!.events.filter((e) => e.kind === 'scalar').slice(0, own.length);
      expect(own.map(({ step }) => step)).toEqual(scalars.map((e) => BigInt(e.step)));
    }
  }

  /** Expects that the counts in `run_state` match the run's points and series. */
  async function checkUsage(run: { runId: RunId; fileIds: readonly FileId[] }): Promise<void> {
    const points = (await readPoints(run)).length;
    const [told, series] = await store.withTenant(tenantId, async ({ trx }) => [
      await trx.selectFrom('run_state').select(['points', 'series']).where('run_id', '=', run.runId).executeTakeFirst(),
      (await trx.selectFrom('series').select('series_id').where('run_id', '=', run.runId).execute()).length,
    ]);
    expect({ points: Number(told?.points ?? 0), series: Number(told?.series ?? 0) }).toEqual({ points, series });
  }

  const after = fc.integer({ min: 0, max: 6 });
  const event = fc.oneof(
    { weight: 12, arbitrary: fc.record({ kind: fc.constant('scalar' as const), step: fc.integer({ min: 0, max: 20 }), after }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('start' as const), step: fc.integer({ min: 0, max: 20 }), after }) },
  );
  const file = fc.record({
    name: fc.integer({ min: 0, max: 3 }),
    begin: fc.integer({ min: 1_000, max: 1_030 }),
    events: fc.oneof(
      fc.array(event, { maxLength: 25 }),
      // Steps rise, as in most logs.
      fc.array(event, { maxLength: 25 }).map((events) => events.map((e, i) => ({ ...e, step: e.kind === 'scalar' ? i : e.step }))),
    ),
    copy: fc.option(fc.record({ of: fc.nat(), part: fc.constantFrom(0.3, 0.7, 1) }), { nil: null, freq: 3 }),
  });

  it(
    'produces the series of the restart rule, for any order of arrival, batches and repeated jobs (E.12, E.23)',
    { timeout: 300_000 },
    async () => {
      const runs = Number(process.env.INGEST_ORDERS ?? 60);
      await fc.assert(
        fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat()), async (drawn, choices) => {
          const choose = (below: number): number => choices.next().value % below;
          const written = write(drawn);
          const run = await makeRun(written);
          const blobs = new MemoryBlobStore();
          const job = { tenantId, ...run };
          const offsets = written.map(() => 0);
          while (offsets.some((offset, i) => offset < written[i]!.bytes.length)) {
            const i = choose(written.length);
            const { bytes } = written[i]!;
            if (offsets[i]! >= bytes.length) continue;
            const end = Math.min(bytes.length, offsets[i]! + 1 + choose(400));
            await acknowledge(run, run.fileIds[i]!, offsets[i]!, bytes, end);
            offsets[i] = end;
            if (choose(3) === 0)
              await ingestRun(store, blobs, job, { maxBatchBytes: 1 + choose(500), maxSegmentsPerFile: 1 + choose(4), tail });
          }
          while ((await ingestRun(store, blobs, job, { maxBatchBytes: 300, maxSegmentsPerFile: 2, tail })).outcome === 'more');
          const before = await readPoints(run);
          expect((await ingestRun(store, blobs, job, { maxBatchBytes: 300, tail })).outcome).toBe('little');
          const points = await readPoints(run);
          expect(points).toEqual(before);
          expectRule(written, points);
          await checkUsage(run);
          const pending = await store.withTenant(tenantId, ({ trx }) =>
            trx.selectFrom('pending_segment').selectAll().where('run_id', '=', run.runId).execute(),
          );
          expect(pending).toEqual([]);
        }),
        { numRuns: runs },
      );
    },
  );

  function* zeros(): Generator<number> {
    for (;;) yield 0;
  }

  /** The START in the second file is that file's latest event, so the two files are concurrent. */
  const lateStart: DrawnFile[] = [
    { name: 0, begin: 1001, events: [{ kind: 'scalar', step: 0, after: 0 }], copy: null },
    {
      name: 1,
      begin: 1000,
      events: [
        { kind: 'start', step: 0, after: 1 },
        { kind: 'scalar', step: 0, after: 0 },
      ],
      copy: null,
    },
  ];

  it('produces the same series from points that were stored before writers were distinguished', { timeout: 300_000 }, async () => {
    const drawnFiles = fc.array(file, { minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(drawnFiles, fc.infiniteStream(fc.nat()), async (drawn, choices) => {
        const written = write(drawn);
        const run = await makeRun(written);
        const blobs = new MemoryBlobStore();
        const left = written.map((_, i) => i);
        while (left.length > 0) {
          const [i] = left.splice(choices.next().value % left.length, 1);
          const { bytes } = written[i!]!;
          await acknowledge(run, run.fileIds[i!]!, 0, bytes, bytes.length);
          while ((await ingestRun(store, blobs, { tenantId, ...run }, { maxBatchBytes: 1_000, tail })).outcome === 'more');
          // As if files were ordered by name and their bytes were not compared.
          await store.withTenant(tenantId, ({ trx }) =>
            sql`update file_progress p set first_wall_time = n.no, last_wall_time = n.no, head_crc32c = -1, copy_of = null, replaced = false
              from (select file_id, row_number() over (order by name collate "C", version) as no from event_file where run_id = ${run.runId}) n
              where p.tenant_id = ${tenantId} and p.file_id = n.file_id and p.parsed_offset > 0`.execute(trx),
          );
        }
        await store.withTenant(tenantId, async (scope) => {
          await sql`update file_progress set first_wall_time = null, last_wall_time = null, head_crc32c = null
            where tenant_id = ${tenantId} and run_id = ${run.runId}`.execute(scope.trx);
        });
        const requested = await operator.run((_, inTenant) => requestRemark(inTenant(tenantId), run.experimentId));
        expect(requested).toEqual([run.runId]);
        const asked = await readRunsWithOldTails(store.sweeper, 3_600_000, 1_000);
        expect(asked).toEqual([{ tenantId, experimentId: run.experimentId, runId: run.runId }]);
        await ingestRun(store, blobs, { tenantId, ...run }, { maxBatchBytes: 1_000, tail });
        expectRule(written, await readPoints(run));
        await checkUsage(run);
        expect(await readRunsWithOldTails(store.sweeper, 3_600_000, 1_000)).toEqual([]);
      }),
      { numRuns: 40, examples: [[lateStart, fc.stream(zeros())]] },
    );
  });
});
