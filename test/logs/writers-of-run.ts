import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { compareWriters, markSessions, type WriterOrder, writerOrder } from '#chunks';
import { type ParsedRun, parseRun, type PlacedSeries, pointsOf } from './parse-run.ts';

/** A run as data rule 2 sees it: what of its files counts, and in which order. */
export interface RunOfWriters {
  /** The files that count as writers, parsed in the order in which they began. */
  readonly parsed: ParsedRun;
  readonly order: WriterOrder;
  /** Copies, by path, with the file that begins with their bytes. */
  readonly copies: ReadonlyMap<string, string>;
  /** Files that do not begin as event files (rule 10). */
  readonly others: readonly string[];
}

/** Reads the event files of a run, which are sorted by name, as data rules 2 and 10 tell. */
export async function readWriters(files: readonly string[]): Promise<RunOfWriters> {
  const events: { path: string; bytes: Buffer }[] = [];
  const others: string[] = [];
  for (const path of files) {
    const { problems } = await parseRun([path], 1 << 20);
    const bytes = await readFile(path);
    const isShort = bytes.length > 0 && bytes.length < 12;
    if (isShort || problems.some(({ offset, reason }) => offset === 0 && reason === 'length-checksum')) others.push(path);
    else events.push({ path, bytes });
  }
  // The longest comes first, of equal ones that with the shorter name.
  const byLength = events.toSorted((a, b) => b.bytes.length - a.bytes.length || basename(a.path).length - basename(b.path).length);
  const logs: typeof events = [];
  const copies = new Map<string, string>();
  for (const file of byLength) {
    const log = logs.find(({ bytes }) => file.bytes.length > 0 && bytes.subarray(0, file.bytes.length).equals(file.bytes));
    if (log === undefined) logs.push(file);
    else copies.set(file.path, log.path);
  }
  const writers: {
    path: string;
    fileId: string;
    name: string;
    version: number;
    firstWallTime: number | null;
    lastWallTime: number | null;
  }[] = [];
  for (const [i, { path }] of logs.entries()) {
    const { firstWallTime, lastWallTime } = (await parseRun([path], 1 << 20)).files[0]!;
    writers.push({ path, fileId: String(i), name: basename(path), version: 1, firstWallTime, lastWallTime });
  }
  writers.sort(compareWriters);
  const paths = writers.map(({ path }) => path);
  return { parsed: await parseRun(paths, 1 << 20), order: writerOrder(writers), copies, others };
}

/** Which points of a series data rule 2 supersedes, in the order of `series`. */
export function supersededOf({ parsed, order }: RunOfWriters, series: PlacedSeries): boolean[] {
  const steps = pointsOf(series).map(({ step }) => step);
  const sessions = [...Map.groupBy(steps.keys(), (at) => `${series.places[at]!.file} ${series.places[at]!.session}`).values()];
  // The first START of the run does not count.
  const cuts = parsed.files.flatMap(({ starts }, fileRank) => starts.map((step, i) => ({ fileRank, offset: i + 1, step }))).slice(1);
  const marks = markSessions(
    sessions.map((points) => {
      const { file, session } = series.places[points[0]!]!;
      return { fileRank: file, afterOffset: session, steps: BigInt64Array.from(points, (at) => steps[at]!) };
    }),
    cuts,
    order,
  );
  const superseded = steps.map(() => false);
  sessions.forEach((points, i) => points.forEach((at, j) => (superseded[at] = marks[i]![j] === 1)));
  return superseded;
}
