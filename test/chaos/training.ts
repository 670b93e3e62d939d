import { createHash } from 'node:crypto';
import { seededRandom, writeEventFile, type EventSpec } from '#testing';
import { type LoggedMedia, mediaOf } from './media.ts';

/**
 * A point as it was logged. `value`: a float32 for a scalar; the content of a tensor, text or image
 * ({@link LoggedMedia.content}).
 */
export interface LoggedPoint {
  readonly step: number;
  readonly wallTime: number;
  readonly value: number | string;
}

/** Identifies a file of an endless training run, and defines its size. */
export interface FilePlan {
  readonly seed: number;
  /** The file's number for its seed, in the order of writing. */
  readonly number: number;
  /**
   * A second process writes the file at the same time as the previous file. By default, the file is
   * written after the previous file.
   */
  readonly concurrent?: boolean;
  readonly run: string;
  readonly name: string;
  readonly fromStep: number;
  readonly events: number;
  readonly tags: readonly string[];
  /** Number of events with a histogram, text or image in addition to scalars; none by default. */
  readonly media?: number;
}

/** Returns the bytes of the file, which depend only on the plan, so they need not be kept. */
export function bytesOf(plan: FilePlan): Buffer {
  return Buffer.from(writeEventFile(eventsOf(plan)));
}

/** Returns the points of the file by tag, in log order. */
export function pointsOf(plan: FilePlan): Map<string, LoggedPoint[]> {
  const points = new Map<string, LoggedPoint[]>(plan.tags.map((tag) => [tag, []]));
  const add = (tag: string, point: LoggedPoint): void => {
    const ofTag = points.get(tag) ?? [];
    points.set(tag, ofTag);
    ofTag.push(point);
  };
  for (const { step, wallTime, scalars, media } of eventsOf(plan)) {
    for (const [tag, value] of Object.entries(scalars)) add(tag, { step, wallTime, value: Math.fround(value) });
    if (media) add(media.tag, { step, wallTime, value: media.content });
  }
  return points;
}

/** Returns the number of points in the file. */
export function countPoints({ events, tags, media = 0 }: FilePlan): number {
  return events * tags.length + media;
}

/** An event of a training run. */
export interface TrainingEvent extends EventSpec {
  readonly step: number;
  readonly wallTime: number;
  readonly scalars: Readonly<Record<string, number>>;
  readonly media: LoggedMedia | null;
}

/** More than any file's duration at one event per second. */
const secondsPerFile = 10_000;

/** Returns the events of the file, in order. */
export function eventsOf({ seed, number, concurrent = false, fromStep, events, tags, media: wanted = 0 }: FilePlan): TrainingEvent[] {
  const startsAt = 1_700_000_000 + (concurrent ? (number - 1) * secondsPerFile + 5.25 : number * secondsPerFile);
  const random = seededRandom(seed * 1_000_003 + number);
  const source = mediaOf(seed, number);
  return Array.from({ length: events }, (_, i) => {
    // Spread evenly, each in its own event.
    const isFor = Math.floor((i * wanted) / events) !== Math.floor(((i + 1) * wanted) / events);
    const media = isFor ? (source.next().value as LoggedMedia) : null;
    return {
      step: fromStep + i,
      wallTime: startsAt + i + random() / 2,
      scalars: Object.fromEntries(tags.map((tag) => [tag, random() * 2 - 1])),
      values: media ? [media.bytes] : [],
      media,
    };
  });
}

/**
 * Groups the files of a run by writer: files written one after another have the same writer; a
 * concurrent file has the next writer.
 */
export function writersOf(plans: readonly FilePlan[]): FilePlan[][] {
  const ordered = plans.toSorted((a, b) => a.number - b.number);
  return [ordered.filter(({ concurrent }) => !concurrent), ordered.filter(({ concurrent }) => concurrent)].filter(
    (files) => files.length > 0,
  );
}

/** A point, and whether a later point of its series supersedes it. */
export interface StoredPoint extends LoggedPoint {
  readonly superseded: boolean;
}

/**
 * Returns the expected points of a series whose files were written one after another with rising
 * steps: all points in log order; a point is superseded if a later point has the same or a smaller
 * step. Written for the checker, without any of the product's code.
 */
export function seriesOf(files: readonly (readonly LoggedPoint[])[]): StoredPoint[] {
  const all = files.flat();
  const stored: StoredPoint[] = [];
  let smallest = Infinity;
  for (const point of all.toReversed()) {
    stored.push({ ...point, superseded: point.step >= smallest });
    smallest = Math.min(smallest, point.step);
  }
  return stored.reverse();
}

/** Returns the SHA-256 over the points in order. */
export function hashPoints(points: Iterable<StoredPoint>): string {
  const hash = createHash('sha256');
  const bytes = Buffer.alloc(25);
  for (const { step, wallTime, value, superseded } of points) {
    bytes.writeDoubleLE(step, 0);
    bytes.writeDoubleLE(wallTime, 8);
    bytes.writeDoubleLE(typeof value === 'number' ? value : NaN, 16);
    bytes.writeUInt8(superseded ? 1 : 0, 24);
    hash.update(bytes);
    if (typeof value === 'string') hash.update(value);
  }
  return hash.digest('hex');
}
