import { createHash } from 'node:crypto';
import { seededRandom, writeEventFile, type EventSpec } from '#testing';

/** A scalar point as it was logged. `value` is a float32. */
export interface LoggedPoint {
  readonly step: number;
  readonly wallTime: number;
  readonly value: number;
}

/** Which file of the endless training this is, and how large. */
export interface FilePlan {
  readonly seed: number;
  /** Numbers the files of a seed. */
  readonly number: number;
  readonly run: string;
  readonly name: string;
  readonly fromStep: number;
  readonly events: number;
  readonly tags: readonly string[];
}

/** The bytes of the file: a function of the plan alone, so nobody has to keep them. */
export function bytesOf(plan: FilePlan): Buffer {
  return Buffer.from(writeEventFile(eventsOf(plan)));
}

/** The points of the file, by tag, in the order in which they are logged. */
export function pointsOf(plan: FilePlan): Map<string, LoggedPoint[]> {
  const points = new Map<string, LoggedPoint[]>(plan.tags.map((tag) => [tag, []]));
  for (const { step, wallTime, scalars } of eventsOf(plan))
    for (const [tag, value] of Object.entries(scalars)) points.get(tag)!.push({ step, wallTime, value: Math.fround(value) });
  return points;
}

function eventsOf({
  seed,
  number,
  fromStep,
  events,
  tags,
}: FilePlan): (EventSpec & Required<Pick<EventSpec, 'scalars'>> & { step: number; wallTime: number })[] {
  const random = seededRandom(seed * 1_000_003 + number);
  return Array.from({ length: events }, (_, i) => ({
    step: fromStep + i,
    wallTime: 1_700_000_000 + fromStep + i + random() / 2,
    scalars: Object.fromEntries(tags.map((tag) => [tag, random() * 2 - 1])),
  }));
}

/** A point with whether a later one of its series has replaced it. */
export interface StoredPoint extends LoggedPoint {
  readonly superseded: boolean;
}

/**
 * What must be stored of a series: all its points in log order, with those superseded that have a later one whose step is not larger. Written
 * for the checker, and so without any code of the product.
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

/** SHA-256 over the points, in their order. */
export function hashPoints(points: Iterable<StoredPoint>): string {
  const hash = createHash('sha256');
  const bytes = Buffer.alloc(25);
  for (const { step, wallTime, value, superseded } of points) {
    bytes.writeDoubleLE(step, 0);
    bytes.writeDoubleLE(wallTime, 8);
    bytes.writeDoubleLE(value, 16);
    bytes.writeUInt8(superseded ? 1 : 0, 24);
    hash.update(bytes);
  }
  return hash.digest('hex');
}
