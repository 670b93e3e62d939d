import { expect } from 'vitest';
import type { PointColumns } from '#model';
import { fileIdOf } from '#model/testing';
import { decodeBody } from '../body.ts';
import { type ChunkBody, maxChunkPoints } from '../chunk.ts';
import { type ChunkDraft, type ChunkHead, type ChunkKey, headOf } from '../chunk-draft.ts';
import { ordinalAt } from '../point-slices.ts';
import { rollups } from '../rollup.ts';
import {
  cutSeries,
  flipInPlacePoints,
  type PreparedUpdate,
  type SeriesCut,
  type SeriesUpdate,
  settledPoints,
  updateSeries,
} from '../series-update.ts';
import { summarize } from '../summary.ts';
import { bits } from './point-arbitraries.ts';

/** A point of the series, or a SessionLog START. */
export interface LogEntry {
  readonly step: bigint;
  readonly start: boolean;
}
export type LogFile = readonly LogEntry[];

/** A stored chunk. */
interface Chunk {
  readonly head: ChunkHead;
  readonly draft: ChunkDraft;
}

/** A START that has arrived. */
interface KnownStart extends SeriesCut {
  readonly place: string;
}

/**
 * One series of a run as processed by the worker and the store. Files arrive in batches, in any
 * order among files. Each batch is planned with exactly the heads that the planner's contract
 * requires. The value and wall time of every point encode its file and ordinal.
 */
export class SimulatedSeries {
  pointsWritten = 0;
  readonly #files: readonly LogFile[];
  readonly #arrived: number[];
  readonly #chunks = new Map<string, Chunk>();
  readonly #starts: KnownStart[] = [];
  #points = 0;
  #superseded = 0;

  /** Files in log order. */
  constructor(files: readonly LogFile[]) {
    this.#files = files;
    this.#arrived = files.map(() => 0);
  }

  /**
   * Delivers batches in the given `order`, [file, entries] each, and then the rest of the files, if
   * `order` names every file.
   */
  arrive(order: readonly (readonly [number, number])[], afterEach: () => void = () => {}): void {
    for (const [file, entries] of order) {
      this.#arriveBatch(file % this.#files.length, entries);
      afterEach();
    }
  }

  /** Chunks in log order, effective and superseded ones mixed. */
  chunks(): Chunk[] {
    return [...this.#chunks.values()].sort(
      (a, b) => a.head.fileRank - b.head.fileRank || a.head.key.firstOrdinal - b.head.key.firstOrdinal,
    );
  }

  effectiveSteps(): bigint[] {
    return this.chunks()
      .filter((chunk) => !chunk.head.superseded)
      .flatMap((chunk) => [...decodeBody(chunk.draft.body).points.steps]);
  }

  /**
   * Checks that everything that has arrived exists once, effective or superseded according to data
   * rule 2, in chunks that keep their invariants.
   */
  expectExact(): void {
    const expected = this.#expectedPoints();
    const found = { effective: [] as string[], superseded: [] as string[] };
    let lastStep: bigint | null = null;
    for (const { head, draft } of this.chunks()) {
      const body = decodeBody(draft.body);
      const { points } = body;
      expect(points.steps.length).toBeLessThanOrEqual(maxChunkPoints);
      expect(headOf(draft)).toEqual({ ...head, superseded: draft.superseded });
      expect(draft.summary).toEqual(summarize(points));
      expect(draft.firstOrdinal).toBe(body.ordinals.first);
      this.#expectOneSession(head, draft);
      if (head.superseded) {
        expect([draft.cells64, draft.cells512]).toEqual([null, null]);
      } else {
        expect({ cells64: draft.cells64, cells512: draft.cells512 }).toEqual(rollups(points));
        for (const step of points.steps) {
          if (lastStep !== null && step <= lastStep) expect.fail(`step ${step} after step ${lastStep}`);
          lastStep = step;
        }
      }
      found[head.superseded ? 'superseded' : 'effective'].push(...describe(head, body));
    }
    expect(found.effective).toEqual(expected.effective);
    expect(found.superseded.sort()).toEqual(expected.superseded.sort());
    expect([this.#points, this.#superseded]).toEqual([expected.effective.length + expected.superseded.length, expected.superseded.length]);
  }

  /**
   * Checks that, besides chunks that are at least half full, a session has at most one small chunk
   * per doubling of its size.
   */
  expectFewChunks(): void {
    const sessions = Map.groupBy(this.chunks(), ({ head }) => `${head.fileRank} ${head.afterOffset} ${head.superseded}`);
    for (const chunks of sessions.values()) {
      const points = chunks.reduce((sum, { head }) => sum + head.count, 0);
      expect(chunks.length).toBeLessThanOrEqual(points / flipInPlacePoints + 12);
    }
  }

  #arriveBatch(file: number, entries: number): void {
    const from = this.#arrived[file]!;
    const to = Math.min(from + entries, this.#files[file]!.length);
    this.#arrived[file] = to;
    const { points, starts, firstOrdinal, afterOffset } = this.#range(file, from, to);
    const formerFirst = this.#firstStart();
    this.#starts.push(
      ...starts.map((start) => ({ fileRank: file, offset: start.offset, step: start.step, place: `${file} ${start.offset}` })),
    );
    const first = this.#firstStart();
    const counts = (start: KnownStart): boolean => start.place !== first?.place;
    const later = this.#starts.filter((start) => start.fileRank > file && counts(start)).map((start) => start.step);

    if (points.steps.length > 0) {
      const batch = {
        fileId: fileIdOf(String(file + 1)),
        fileRank: file,
        firstOrdinal,
        afterOffset,
        points,
        starts: starts.map((start) => ({ ...start, cuts: `${file} ${start.offset}` !== first?.place })),
        laterCut: later.length === 0 ? null : later.reduce((a, b) => (a < b ? a : b)),
      };
      const cuts = batch.starts.filter((start) => start.cuts).map((start) => start.step);
      const lowest = [...points.steps, ...cuts].reduce((a, b) => (a < b ? a : b));
      const sessions = [afterOffset, ...starts.map((start) => start.offset)].map((offset) => sessionKey(file, offset));
      this.#apply(updateSeries(this.#headsFor(file, lowest, sessions, sessionKey(file, afterOffset)), batch));
    } else {
      const cuts = this.#starts.filter((start) => start.fileRank === file && start.offset > from && counts(start));
      for (const cut of cuts) this.#apply(cutSeries(this.#headsFor(cut.fileRank, cut.step, [], null), cut));
    }
    if (formerFirst !== null && first !== null && formerFirst.place !== first.place) {
      this.#apply(cutSeries(this.#headsFor(formerFirst.fileRank, formerFirst.step, [], null), formerFirst));
    }
  }

  /** Exactly the heads that the planner's contract requires. */
  #headsFor(fileRank: number, lowest: bigint, sessions: readonly string[], tailSession: string | null): ChunkHead[] {
    const heads = [...this.#chunks.values()].map((chunk) => chunk.head);
    const effective = heads.filter((head) => !head.superseded);
    const touched = effective.filter((head) => head.fileRank <= fileRank && head.lastStep >= lowest);
    const later = effective
      .filter((head) => head.fileRank > fileRank)
      .sort((a, b) => (a.firstStep < b.firstStep ? -1 : 1))
      .slice(0, 1);
    const tail = effective.filter((head) => sessionKey(head.fileRank, head.afterOffset) === tailSession && head.count < settledPoints);
    const open = new Set([...sessions, ...touched.map((head) => sessionKey(head.fileRank, head.afterOffset))]);
    const small = heads.filter(
      (head) => head.superseded && head.count < flipInPlacePoints && open.has(sessionKey(head.fileRank, head.afterOffset)),
    );
    return [...new Set([...small, ...later, ...touched, ...tail])];
  }

  #apply(prepared: PreparedUpdate): void {
    const asked: ChunkKey[] = [];
    const update: SeriesUpdate = prepared.finish((key) => {
      asked.push(key);
      return decodeBody(this.#chunks.get(keyText(key))!.draft.body);
    });
    expect(asked).toEqual(prepared.needed.map((head) => head.key));
    for (const key of update.remove) expect(this.#chunks.delete(keyText(key))).toBe(true);
    for (const key of update.flip) {
      const { head, draft } = this.#chunks.get(keyText(key))!;
      expect(head.superseded).toBe(false);
      this.#chunks.set(keyText(key), {
        head: { ...head, superseded: true },
        draft: { ...draft, superseded: true, cells64: null, cells512: null },
      });
    }
    for (const draft of update.insert) {
      const head = headOf(draft);
      expect(this.#chunks.has(keyText(head.key))).toBe(false);
      this.#chunks.set(keyText(head.key), { head, draft });
      this.pointsWritten += head.count;
    }
    this.#points += update.pointsAdded;
    this.#superseded += update.supersededAdded;
  }

  #firstStart(): KnownStart | null {
    const [first] = [...this.#starts].sort((a, b) => a.fileRank - b.fileRank || a.offset - b.offset);
    return first ?? null;
  }

  /** Entries [from, to) of a file in the parser's form. An entry's offset is its index plus one. */
  #range(file: number, from: number, to: number) {
    const entries = this.#files[file]!;
    const before = entries.slice(0, from);
    const firstOrdinal = before.filter((entry) => !entry.start).length;
    const afterOffset = before.findLastIndex((entry) => entry.start) + 1;
    const slice = entries.slice(from, to);
    const starts = slice.flatMap((entry, i) =>
      entry.start ? [{ before: slice.slice(0, i).filter((earlier) => !earlier.start).length, offset: from + i + 1, step: entry.step }] : [],
    );
    const steps = slice.filter((entry) => !entry.start).map((entry) => entry.step);
    const points: PointColumns = {
      steps: BigInt64Array.from(steps),
      wallTimes: Float64Array.from(steps, (_, i) => 1.7e9 + (firstOrdinal + i) / 8),
      values: Float64Array.from(steps, (_, i) => file + (firstOrdinal + i) / 2 ** 20),
    };
    return { points, starts, firstOrdinal, afterOffset };
  }

  #expectOneSession(head: ChunkHead, draft: ChunkDraft): void {
    const places = this.#files[head.fileRank]!.flatMap((entry, i) => (entry.start ? [] : [i + 1]));
    const starts = this.#files[head.fileRank]!.flatMap((entry, i) => (entry.start ? [i + 1] : []));
    const startBefore = (ordinal: number): number => starts.findLast((offset) => offset < places[ordinal]!) ?? 0;
    const last = ordinalAt(decodeBody(draft.body).ordinals, draft.summary.count - 1);
    expect([startBefore(draft.firstOrdinal), startBefore(last)]).toEqual([head.afterOffset, head.afterOffset]);
  }

  /**
   * Data rule 2 over everything that has arrived, from the end: a point is effective if its step is
   * below all later ones.
   */
  #expectedPoints(): { effective: string[]; superseded: string[] } {
    const log = this.#files.flatMap((entries, file) => {
      let ordinal = 0;
      return entries.slice(0, this.#arrived[file]).map((entry) => ({ ...entry, file, ordinal: entry.start ? -1 : ordinal++ }));
    });
    const firstStart = log.findIndex((entry) => entry.start);
    const effective: string[] = [];
    const superseded: string[] = [];
    let lowest: bigint | null = null;
    for (let i = log.length - 1; i >= 0; i--) {
      const { step, start, file, ordinal } = log[i]!;
      if (start && i === firstStart) continue;
      if (!start)
        (lowest === null || step < lowest ? effective : superseded).push(pointText(file, ordinal, step, file + ordinal / 2 ** 20));
      if (lowest === null || step < lowest) lowest = step;
    }
    return { effective: effective.reverse(), superseded };
  }
}

function describe(head: ChunkHead, { points, ordinals }: ChunkBody): string[] {
  expect(bits(points.wallTimes)).toEqual(bits(Float64Array.from(points.wallTimes, (_, i) => 1.7e9 + ordinalAt(ordinals, i) / 8)));
  return Array.from(points.steps, (step, i) => pointText(head.fileRank, ordinalAt(ordinals, i), step, points.values[i]!));
}

function pointText(file: number, ordinal: number, step: bigint, value: number): string {
  return `file ${file}, ordinal ${ordinal}: step ${step}, value ${value}`;
}

function sessionKey(fileRank: number, afterOffset: number): string {
  return `${fileRank} ${afterOffset}`;
}

function keyText(key: ChunkKey): string {
  return `${key.fileId} ${key.firstOrdinal}`;
}
