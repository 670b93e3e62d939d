import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type ParsedRun, parseRun, type PlacedSeries, pointsOf } from './parse-run.ts';

/*
 * Data rules 2 and 10 as worded in docs/data-rules.md, applied point by point without the product's
 * code: a slow reference implementation.
 */

/** The writers of a run, by their index in `ParsedRun.files`. */
export interface Writers {
  /** Whether the second writer started after the first writer's last event. */
  isLater(than: number, writer: number): boolean;
  /** A writer's lane, which is the number of its series. */
  lane(writer: number): number;
}

/** A run according to data rule 2: which files count, and in which order. */
export interface RunOfWriters {
  /** The files that count as writers, parsed, in the order of their start. */
  readonly parsed: ParsedRun;
  readonly order: Writers;
  /** Copies by path, each with the file that starts with its bytes. */
  readonly copies: ReadonlyMap<string, string>;
  /** Files that do not start like event files (rule 10). */
  readonly others: readonly string[];
}

/** Reads the event files of a run, sorted by name, by data rules 2 and 10. */
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
  // The longest file comes first; among equal files, the file with the shorter name.
  const byLength = events.toSorted((a, b) => b.bytes.length - a.bytes.length || basename(a.path).length - basename(b.path).length);
  const logs: typeof events = [];
  const copies = new Map<string, string>();
  for (const file of byLength) {
    const log = logs.find(({ bytes }) => file.bytes.length > 0 && bytes.subarray(0, file.bytes.length).equals(file.bytes));
    if (log === undefined) logs.push(file);
    else copies.set(file.path, log.path);
  }
  const writers: Writer[] = [];
  for (const { path } of logs) {
    const { firstWallTime, lastWallTime } = (await parseRun([path], 1 << 20)).files[0]!;
    writers.push({ path, first: firstWallTime, last: lastWallTime });
  }
  writers.sort((a, b) => {
    if (a.first !== b.first) return a.first !== null && (b.first === null || a.first > b.first) ? 1 : -1;
    return Buffer.compare(Buffer.from(basename(a.path)), Buffer.from(basename(b.path)));
  });
  const paths = writers.map(({ path }) => path);
  return { parsed: await parseRun(paths, 1 << 20), order: orderOf(writers), copies, others };
}

interface Writer {
  readonly path: string;
  /** Smallest and largest finite wall time; null if there are none. */
  readonly first: number | null;
  readonly last: number | null;
}

/** Sorts the writers. Files without a finite wall time are first; names break ties. */
function orderOf(writers: readonly Writer[]): Writers {
  const isLater = (than: number, writer: number): boolean => {
    const { last } = writers[than]!;
    const { first } = writers[writer]!;
    return last === null ? writer > than : first !== null && first > last;
  };
  const lanes: number[][] = [];
  for (const writer of writers.keys()) {
    const lane = lanes.find((own) => isLater(own.at(-1)!, writer));
    if (lane) lane.push(writer);
    else lanes.push([writer]);
  }
  return { isLater, lane: (writer) => lanes.findIndex((own) => own.includes(writer)) };
}

/** Returns the points of a series that data rule 2 supersedes, in the order of `series`. */
export function supersededOf({ parsed, order }: RunOfWriters, series: PlacedSeries): boolean[] {
  const points = pointsOf(series).map(({ step }, i) => ({ step, ...series.places[i]! }));
  // The first START of the run does not count.
  const starts = parsed.files.flatMap((file, writer) => file.starts.map((step, i) => ({ step, file: writer, session: i + 1 }))).slice(1);
  const follows = (a: { file: number; session: number }, b: { file: number; session: number }): boolean =>
    a.file === b.file ? b.session > a.session : order.isLater(a.file, b.file);
  // After a point, the smallest step of each session decides.
  const lowest = [...Map.groupBy([...points, ...starts], ({ file, session }) => `${file} ${session}`).values()].map((own) => ({
    file: own[0]!.file,
    session: own[0]!.session,
    step: own.reduce((min, { step }) => (step < min ? step : min), own[0]!.step),
  }));
  const superseded = points.map((point) => lowest.some((other) => follows(point, other) && other.step <= point.step));
  const sessions = Map.groupBy(points.keys(), (i) => `${points[i]!.file} ${points[i]!.session}`);
  for (const own of sessions.values()) for (const i of replacedWithin(own, (at) => points[at]!.step)) superseded[i] = true;
  return superseded;
}

/**
 * Returns the points of a file between two STARTs that it logs again (c) or that precede a step
 * back (d). `log` is in log order.
 */
function replacedWithin(log: readonly number[], stepOf: (point: number) => bigint): Set<number> {
  const replaced = new Set<number>();
  const logged = new Map<bigint, number>();
  let before = 0;
  let again = 0;
  for (const [at, point] of log.entries()) {
    if (at > 0 && stepOf(point) <= stepOf(log[at - 1]!)) [before, again] = [at, 0];
    const same = logged.get(stepOf(point));
    logged.set(stepOf(point), point);
    if (same === undefined || replaced.has(same)) continue;
    replaced.add(same);
    if (++again < 2) continue;
    for (const other of log.slice(0, before)) if (stepOf(other) >= stepOf(log[before]!)) replaced.add(other);
  }
  return replaced;
}
