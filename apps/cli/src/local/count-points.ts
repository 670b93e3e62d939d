import { compareWriters, markSessions, type SeriesCut, writerOrder } from '#chunks';
import type { DataClass, FileBatch, FileProblem, TagName } from '#model';
import { isEvent, PointCollector } from '#points';
import { RecordReader } from '#records';
import { crc32c } from './crc32c.ts';
import { EventFile } from './event-file.ts';
import { groupBy } from '../group-by.ts';

/**
 * A version of a run's file, or its first `bytes`. Records at `quarantined` offsets are skipped, as
 * in the service.
 */
export interface FileToCount {
  readonly path: string;
  readonly bytes: number;
  readonly name: string;
  readonly version: number;
  readonly quarantined?: ReadonlySet<number>;
}

/** The content of one series of a run according to the local files. */
export interface SeriesCount {
  readonly tag: TagName;
  /**
   * Whether this is the unlisted twin, which keeps the values that are not of the series' class
   * (data rule 3).
   */
  readonly twin: boolean;
  readonly dataClass: DataClass;
  readonly points: number;
  readonly superseded: number;
}

/** The content of a run's files. */
export interface RunCount {
  readonly series: readonly SeriesCount[];
  readonly events: number;
  /** Indexed by file. */
  readonly records: readonly number[];
  /** How many of these records were read although their data checksum is wrong. */
  readonly unverified: readonly number[];
  readonly problems: readonly (readonly FileProblem[])[];
}

const readBytes = 8 * 1024 * 1024;

/** The points of one series in one file between two STARTs. */
interface LocalSession {
  readonly file: number;
  readonly afterOffset: number;
  readonly parts: BigInt64Array[];
}

interface Growing {
  readonly tag: TagName;
  readonly twin: boolean;
  readonly dataClass: DataClass;
  readonly sessions: LocalSession[];
}

/** The properties of a file as a writer (data rule 2). */
interface LocalWriter extends FileToCount {
  readonly fileId: string;
  firstWallTime: number | null;
  lastWallTime: number | null;
  headCrc32c: number | null;
  readonly starts: { readonly offset: number; readonly step: bigint }[];
}

/** Reads the files of one run with the service's parser and rules. */
export async function countPoints(files: readonly FileToCount[]): Promise<RunCount> {
  const collector = new PointCollector();
  const series = new Map<string, Growing>();
  const writers: LocalWriter[] = files.map((file, i) => ({
    ...file,
    fileId: String(i),
    firstWallTime: null,
    lastWallTime: null,
    headCrc32c: null,
    starts: [],
  }));
  const records: number[] = [];
  const unverified: number[] = [];
  const problems: FileProblem[][] = [];
  let events = 0;

  for (const [index, writer] of writers.entries()) {
    const reader = new RecordReader({ isEvent });
    const found: FileProblem[] = [];
    const file = await EventFile.open(writer.path);
    try {
      for (let at = 0; at < writer.bytes && reader.ended === null;) {
        // Each range has its own buffer, because the collector may keep views of it until `take`.
        const buffer = new Uint8Array(Math.min(readBytes, writer.bytes - at));
        const read = await file.read(buffer, at);
        if (read === 0) break;
        at += read;
        const visit = (buf: Uint8Array, start: number, end: number, offset: number): void => {
          if (writer.quarantined?.has(offset)) return;
          writer.headCrc32c ??= crc32c(buf.subarray(start, end));
          collector.event(buf, start, end, offset);
        };
        reader.push(buffer.subarray(0, read), visit);
        const batch = collector.take({ records: 0, problems: reader.takeProblems() });
        found.push(...batch.problems);
        events += batch.events;
        add(series, writer, index, batch);
      }
    } finally {
      await file.close();
    }
    records.push(reader.records);
    unverified.push(reader.unverified);
    problems.push(found);
  }
  return { series: count([...series.values()], writers, await copiesOf(writers)), events, records, unverified, problems };
}

/** Adds a batch of a file. */
function add(series: Map<string, Growing>, writer: LocalWriter, file: number, batch: FileBatch): void {
  if (batch.firstWallTime !== null) writer.firstWallTime = Math.min(writer.firstWallTime ?? Infinity, batch.firstWallTime);
  if (batch.lastWallTime !== null) writer.lastWallTime = Math.max(writer.lastWallTime ?? -Infinity, batch.lastWallTime);
  const before = writer.starts.at(-1)?.offset ?? 0;
  batch.series.forEach(({ meta, scalars, tensors, blobSequences }, i) => {
    const key = `${meta.twin ? 1 : 0}${meta.tag}`;
    const known = series.get(key) ?? { tag: meta.tag, twin: meta.twin, dataClass: meta.dataClass, sessions: [] };
    series.set(key, known);
    const steps =
      scalars && meta.dataClass === 'scalar' ? scalars.steps : BigInt64Array.from([...tensors, ...blobSequences], ({ step }) => step);
    let from = 0;
    let afterOffset = before;
    for (const { to, offset } of [
      ...batch.starts.map((start) => ({ to: start.pointsBefore[i] ?? 0, offset: start.offset })),
      { to: steps.length, offset: 0 },
    ]) {
      if (to > from) {
        const last = known.sessions.at(-1);
        if (last?.file === file && last.afterOffset === afterOffset) last.parts.push(steps.subarray(from, to));
        else known.sessions.push({ file, afterOffset, parts: [steps.subarray(from, to)] });
        from = to;
      }
      afterOffset = offset;
    }
  });
  writer.starts.push(...batch.starts);
}

/**
 * The files whose bytes are the first bytes of another file, longest first. Among equal files, the
 * file with the shorter name counts.
 */
async function copiesOf(writers: readonly LocalWriter[]): Promise<Set<LocalWriter>> {
  const copies = new Set<LocalWriter>();
  for (const group of groupBy(
    writers.filter(({ headCrc32c }) => headCrc32c !== null),
    ({ headCrc32c }) => headCrc32c,
  ).values()) {
    if (group.length === 1) continue;
    const kept: LocalWriter[] = [];
    for (const file of group.toSorted((a, b) => b.bytes - a.bytes || a.name.length - b.name.length || b.version - a.version)) {
      const own = await checksumOf(file, file.bytes);
      let isCopy = false;
      for (const longer of kept) {
        if (longer.name === file.name && longer.version < file.version) continue;
        isCopy ||= (await checksumOf(longer, file.bytes)) === own;
      }
      if (isCopy) copies.add(file);
      else kept.push(file);
    }
  }
  return copies;
}

async function checksumOf({ path }: LocalWriter, bytes: number): Promise<number | null> {
  const file = await EventFile.open(path);
  try {
    return await file.checksum(0, bytes, new Uint8Array(Math.min(readBytes, bytes)));
  } finally {
    await file.close();
  }
}

/** Applies data rule 2 to each series. */
function count(series: readonly Growing[], writers: readonly LocalWriter[], copies: ReadonlySet<LocalWriter>): SeriesCount[] {
  const isReplaced = (file: LocalWriter): boolean =>
    writers.some((other) => other.name === file.name && other.version > file.version && other.headCrc32c !== null && !copies.has(other));
  const ordered = writers.filter((file) => !copies.has(file) && !isReplaced(file)).sort(compareWriters);
  const rankOf = new Map(ordered.map((file, rank) => [file, rank]));
  // The first START of the run marks its start, not a restart.
  const cuts = ordered
    .flatMap(({ starts }, fileRank) => starts.map(({ offset, step }): SeriesCut => ({ fileRank, offset, step })))
    .slice(1);
  return series.map(({ tag, twin, dataClass, sessions }) => {
    const counted = sessions
      .filter(({ file }) => !copies.has(writers[file]!))
      .map(({ file, afterOffset, parts }) => ({ fileRank: rankOf.get(writers[file]!) ?? -1, afterOffset, steps: joined(parts) }));
    const marks = markSessions(counted, cuts, writerOrder(ordered));
    return {
      tag,
      twin,
      dataClass,
      points: counted.reduce((sum, { steps }) => sum + steps.length, 0),
      superseded: marks.reduce((sum, mask) => sum + mask.reduce((ones, mark) => ones + mark, 0), 0),
    };
  });
}

function joined(parts: readonly BigInt64Array[]): BigInt64Array {
  const whole = new BigInt64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
