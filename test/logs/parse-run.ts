import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { BlobSequenceValue, FileBatch, FileProblem, SeriesMeta, TensorValue } from '#model';
import { PointCollector } from '#points';
import { RecordReader } from '#records';

/** A scalar point as it was logged. */
export interface ScalarPoint {
  step: bigint;
  wallTime: number;
  value: number;
}

/**
 * All points of one series in log order. `purged[i]`: a START after point i supersedes it (data
 * rule 2b).
 */
export interface ParsedSeries {
  meta: SeriesMeta;
  scalars: ScalarPoint[];
  tensors: TensorValue[];
  blobSequences: BlobSequenceValue[];
  purged: boolean[];
  invalid: number;
  mismatched: number;
  rounded: number;
}

/** Where a point was logged: the file, and the number of STARTs before the point in that file. */
export interface PointPlace {
  readonly file: number;
  readonly session: number;
}

/** A series with the place of each point. */
export interface PlacedSeries extends ParsedSeries {
  places: PointPlace[];
}

/** A file as a writer (data rule 2). */
export interface ParsedFile {
  readonly path: string;
  firstWallTime: number | null;
  lastWallTime: number | null;
  /** The steps of its STARTs. */
  starts: bigint[];
}

export interface ParsedRun {
  /** By tag; twins by tag and ` (twin)`. */
  series: Map<string, PlacedSeries>;
  files: ParsedFile[];
  startTime: number | null;
  events: number;
  records: number;
  problems: (FileProblem & { file: string })[];
}

/**
 * Returns the event files below a directory by run name, each run's files in log order (data rules
 * 2 and 10).
 */
export async function findRuns(logDirectory: string): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  for (const entry of await readdir(logDirectory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.includes('tfevents')) continue;
    const path = join(entry.parentPath, entry.name);
    const run = relative(logDirectory, dirname(path)).split(sep).join('/') || '.';
    runs.set(run, [...(runs.get(run) ?? []), path]);
  }
  for (const files of runs.values()) files.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  return runs;
}

/**
 * Reads a run as a worker does, in pieces of `pieceBytes`. After every third piece, a collector
 * that knows only the earlier batches takes a batch.
 */
export async function parseRun(files: string[], pieceBytes: number): Promise<ParsedRun> {
  const run: ParsedRun = { series: new Map(), files: [], startTime: null, events: 0, records: 0, problems: [] };
  let starts = 0;
  for (const path of files) {
    const bytes = await readFile(path);
    run.files.push({ path, firstWallTime: null, lastWallTime: null, starts: [] });
    const reader = new RecordReader();
    let collector = new PointCollector([...run.series.values()].map(({ meta }) => meta));
    let records = 0;
    let pieces = 0;
    const take = () => {
      const batch = collector.take({ records: reader.records - records, problems: reader.takeProblems() });
      records = reader.records;
      starts = addBatch(run, batch, relative(dirname(path), path), starts);
    };
    for (let at = 0; at < bytes.length; at += pieceBytes) {
      reader.push(bytes.subarray(at, at + pieceBytes), (buf, start, end, offset) => collector.event(buf, start, end, offset));
      if (++pieces % 3 !== 0) continue;
      take();
      if (pieces % 2 === 0) collector = new PointCollector([...run.series.values()].map(({ meta }) => meta));
    }
    take();
  }
  return run;
}

function addBatch(run: ParsedRun, batch: FileBatch, file: string, startsBefore: number): number {
  const writer = run.files.at(-1)!;
  const firsts = batch.series.map(({ meta }) => run.series.get(key(meta))?.purged.length ?? 0);
  for (const [at, part] of batch.series.entries()) {
    const name = key(part.meta);
    let series = run.series.get(name);
    if (series === undefined) {
      series = {
        meta: part.meta,
        scalars: [],
        tensors: [],
        blobSequences: [],
        purged: [],
        places: [],
        invalid: 0,
        mismatched: 0,
        rounded: 0,
      };
      run.series.set(name, series);
    }
    const { scalars } = part;
    if (scalars !== null) {
      scalars.steps.forEach((step, i) => series.scalars.push({ step, wallTime: scalars.wallTimes[i]!, value: scalars.values[i]! }));
    }
    series.tensors.push(...part.tensors);
    series.blobSequences.push(...part.blobSequences);
    while (series.purged.length < pointsOf(series).length) {
      const before = series.purged.length - firsts[at]!;
      const startsOfBatch = batch.starts.filter(({ pointsBefore }) => (pointsBefore[at] ?? 0) <= before).length;
      series.places.push({ file: run.files.length - 1, session: writer.starts.length + startsOfBatch });
      series.purged.push(false);
    }
    series.invalid += part.invalidPoints;
    series.mismatched += part.mismatchedPoints;
    series.rounded += part.roundedPoints;
  }
  batch.starts.forEach((start, i) => {
    if (startsBefore + i === 0) return;
    for (const series of run.series.values()) {
      const place = batch.series.findIndex(({ meta }) => key(meta) === key(series.meta));
      const before = place < 0 ? series.purged.length : firsts[place]! + (start.pointsBefore[place] ?? 0);
      pointsOf(series).forEach(({ step }, at) => {
        if (at < before && step >= start.step) series.purged[at] = true;
      });
    }
  });
  writer.starts.push(...batch.starts.map(({ step }) => step));
  if (batch.firstWallTime !== null) writer.firstWallTime = Math.min(writer.firstWallTime ?? Infinity, batch.firstWallTime);
  if (batch.lastWallTime !== null) writer.lastWallTime = Math.max(writer.lastWallTime ?? -Infinity, batch.lastWallTime);
  run.events += batch.events;
  run.records += batch.records;
  if (batch.startWallTime !== null) run.startTime = Math.min(run.startTime ?? Infinity, batch.startWallTime);
  run.problems.push(...batch.problems.map((problem) => ({ ...problem, file })));
  return startsBefore + batch.starts.length;
}

/** Returns the points of a series of any class. */
export function pointsOf(series: ParsedSeries): readonly { step: bigint; wallTime: number }[] {
  if (series.meta.dataClass === 'scalar') return series.scalars;
  return series.meta.dataClass === 'tensor' ? series.tensors : series.blobSequences;
}

function key({ tag, twin }: SeriesMeta): string {
  return twin ? `${tag} (twin)` : tag;
}
