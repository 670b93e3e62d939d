import { markSuperseded, type SessionCut } from '#chunks';
import type { DataClass, FileBatch, FileProblem } from '#model';
import { PointCollector } from '#points';
import { RecordReader } from '#records';
import { EventFile } from './event-file.ts';

/** A file of a run, or the first `bytes` of it. Records at `quarantined` offsets are passed over, as the service does. */
export interface FileToCount {
  readonly path: string;
  readonly bytes: number;
  readonly quarantined?: ReadonlySet<number>;
}

/** What one series of a run holds according to the local files. */
export interface SeriesCount {
  readonly tag: string;
  /** The unlisted twin that keeps values which are not of the series' class (data rule 3). */
  readonly twin: boolean;
  readonly dataClass: DataClass;
  readonly points: number;
  readonly superseded: number;
}

/** What the files of one run hold. */
export interface RunCount {
  readonly series: readonly SeriesCount[];
  readonly events: number;
  /** By the index of the file. */
  readonly records: readonly number[];
  readonly problems: readonly (readonly FileProblem[])[];
}

const readBytes = 8 * 1024 * 1024;

interface Growing {
  readonly tag: string;
  readonly twin: boolean;
  readonly dataClass: DataClass;
  readonly steps: BigInt64Array[];
  points: number;
  readonly cuts: SessionCut[];
}

/** Reads the files of one run, given in log order (data rule 2), with the parser and the restart rule that the service uses. */
export async function countPoints(files: readonly FileToCount[]): Promise<RunCount> {
  const collector = new PointCollector();
  const series = new Map<string, Growing>();
  const records: number[] = [];
  const problems: FileProblem[][] = [];
  let events = 0;
  let starts = 0;

  const add = (batch: FileBatch): void => {
    events += batch.events;
    const before = new Map<Growing, number>();
    const inBatch = batch.series.map(({ meta, scalars, tensors, blobSequences }) => {
      const key = `${meta.twin ? 1 : 0}${meta.tag}`;
      let known = series.get(key);
      if (!known) series.set(key, (known = { tag: meta.tag, twin: meta.twin, dataClass: meta.dataClass, steps: [], points: 0, cuts: [] }));
      before.set(known, known.points);
      const steps =
        scalars && meta.dataClass === 'scalar' ? scalars.steps : BigInt64Array.from([...tensors, ...blobSequences], ({ step }) => step);
      known.steps.push(steps);
      known.points += steps.length;
      return known;
    });
    for (const start of batch.starts) {
      // The run's first START is its beginning, not a restart.
      if (starts++ === 0) continue;
      for (const known of series.values()) {
        const place = inBatch.indexOf(known);
        const cutAt = place < 0 ? known.points : (before.get(known) ?? 0) + (start.pointsBefore[place] ?? 0);
        known.cuts.push({ before: cutAt, step: start.step });
      }
    }
  };

  for (const { path, bytes, quarantined } of files) {
    const reader = new RecordReader();
    const found: FileProblem[] = [];
    const file = await EventFile.open(path);
    try {
      for (let at = 0; at < bytes && reader.ended === null;) {
        // A buffer of its own: what the collector keeps until `take` may point into it.
        const buffer = new Uint8Array(Math.min(readBytes, bytes - at));
        const read = await file.read(buffer, at);
        if (read === 0) break;
        at += read;
        const visit = (buf: Uint8Array, start: number, end: number, offset: number): void => {
          if (!quarantined?.has(offset)) collector.event(buf, start, end, offset);
        };
        reader.push(buffer.subarray(0, read), visit);
        const batch = collector.take({ records: 0, problems: reader.takeProblems() });
        found.push(...batch.problems);
        add(batch);
      }
    } finally {
      await file.close();
    }
    records.push(reader.records);
    problems.push(found);
  }
  const counts = [...series.values()].map(({ tag, twin, dataClass, steps, points, cuts }) => ({
    tag,
    twin,
    dataClass,
    points,
    superseded: markSuperseded(joined(steps, points), cuts, null).count,
  }));
  return { series: counts, events, records, problems };
}

function joined(parts: readonly BigInt64Array[], length: number): BigInt64Array {
  const whole = new BigInt64Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
