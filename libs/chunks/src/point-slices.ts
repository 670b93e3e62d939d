import type { PointColumns } from '#model';
import type { ChunkBody, Ordinals } from './chunk.ts';

/** The points from index `from` up to, not including, `to`; shares memory with the input. */
export function slicePoints(points: PointColumns, from: number, to: number): PointColumns {
  return {
    steps: points.steps.subarray(from, to),
    wallTimes: points.wallTimes.subarray(from, to),
    values: points.values.subarray(from, to),
  };
}

/** Concatenates the points into new columns; a single part is returned unchanged. */
export function concatPoints(parts: readonly PointColumns[]): PointColumns {
  const [only] = parts;
  if (only !== undefined && parts.length === 1) return only;
  const count = parts.reduce((sum, part) => sum + part.steps.length, 0);
  const joined = newPoints(count);
  let at = 0;
  for (const part of parts) {
    joined.steps.set(part.steps, at);
    joined.wallTimes.set(part.wallTimes, at);
    joined.values.set(part.values, at);
    at += part.steps.length;
  }
  return joined;
}

/**
 * Index of the first step that is not below `step`; the length if all are below. Steps must rise.
 */
export function lowerBound(steps: BigInt64Array, step: bigint): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle]! < step) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Ordinal of the point at `index`. */
export function ordinalAt(ordinals: Ordinals, index: number): number {
  return ordinals.column === null ? ordinals.first + index : ordinals.column[index]!;
}

/** Points and ordinals from index `from` up to `to`; shares memory with the input. */
export function sliceBody(body: ChunkBody, from: number, to: number): ChunkBody {
  return { points: slicePoints(body.points, from, to), ordinals: sliceOrdinals(body.ordinals, from, to) };
}

/**
 * Concatenates the bodies; the ordinals of each body must come after the ordinals of the previous
 * body.
 */
export function concatBodies(bodies: readonly ChunkBody[]): ChunkBody {
  const [only] = bodies;
  if (only !== undefined && bodies.length === 1) return only;
  const points = concatPoints(bodies.map((body) => body.points));
  const column = new Float64Array(points.steps.length);
  let at = 0;
  for (const { points: part, ordinals } of bodies) {
    for (let i = 0; i < part.steps.length; i++) column[at++] = ordinalAt(ordinals, i);
  }
  return { points, ordinals: ordinalsOf(column) };
}

/** Merges bodies of one file in log order, even if their ordinals interleave. */
export function mergeBodies(bodies: readonly ChunkBody[]): ChunkBody {
  const sorted = bodies
    .filter((body) => body.points.steps.length > 0)
    .map(inLogOrder)
    .sort((a, b) => a.ordinals.first - b.ordinals.first);
  const runs: ChunkBody[] = [];
  for (const body of sorted) {
    const before = runs.at(-1);
    if (before === undefined || lastOrdinal(before) < body.ordinals.first) runs.push(body);
    else runs[runs.length - 1] = interleave(before, body);
  }
  return concatBodies(runs);
}

/** The points of `body` whose mask byte equals `wanted`. Shares memory if all points match. */
export function selectBody(body: ChunkBody, mask: Uint8Array, wanted: 0 | 1): ChunkBody {
  const { points, ordinals } = body;
  let count = 0;
  for (let i = 0; i < mask.length; i++) if (mask[i] === wanted) count++;
  if (count === mask.length) return body;
  const selected = newPoints(count);
  const column = new Float64Array(count);
  for (let i = 0, at = 0; at < count; i++) {
    if (mask[i] === wanted) copyPoint(points, i, ordinalAt(ordinals, i), selected, column, at++);
  }
  return { points: selected, ordinals: ordinalsOf(column) };
}

/** Ordinal of the last point. */
export function lastOrdinal(body: ChunkBody): number {
  return ordinalAt(body.ordinals, body.points.steps.length - 1);
}

function sliceOrdinals(ordinals: Ordinals, from: number, to: number): Ordinals {
  if (ordinals.column === null) return { first: ordinals.first + from, column: null };
  return ordinalsOf(ordinals.column.subarray(from, to));
}

/** Consecutive ordinals need no column. */
function ordinalsOf(column: Float64Array): Ordinals {
  const first = column[0] ?? 0;
  for (let i = 1; i < column.length; i++) if (column[i] !== first + i) return { first, column };
  return { first, column: null };
}

/**
 * The body with its points in log order, that is, by ordinal; the same body if they already are.
 */
export function inLogOrder(body: ChunkBody): ChunkBody {
  const { column } = body.ordinals;
  if (column === null || rises(column)) return body;
  return permute(
    body,
    Array.from(column, (_, i) => i).sort((a, b) => column[a]! - column[b]!),
  );
}

/**
 * The body with its points by step; the same body if they already are. No two points may have the
 * same step.
 */
export function byStep(body: ChunkBody): ChunkBody {
  const { steps } = body.points;
  if (rises(steps)) return body;
  return permute(
    body,
    Array.from(steps, (_, i) => i).sort((a, b) => (steps[a]! < steps[b]! ? -1 : 1)),
  );
}

/** The smallest ordinal of a body. */
export function smallestOrdinal({ ordinals }: ChunkBody): number {
  return ordinals.column === null ? ordinals.first : ordinals.column.reduce((min, ordinal) => Math.min(min, ordinal), Infinity);
}

function rises(column: Float64Array | BigInt64Array): boolean {
  for (let i = 1; i < column.length; i++) if (column[i]! <= column[i - 1]!) return false;
  return true;
}

function permute(body: ChunkBody, order: readonly number[]): ChunkBody {
  const points = newPoints(order.length);
  const column = new Float64Array(order.length);
  order.forEach((from, at) => copyPoint(body.points, from, ordinalAt(body.ordinals, from), points, column, at));
  return { points, ordinals: ordinalsOf(column) };
}

/** Columns with `count` entries, to be filled. */
export function newPoints(count: number): PointColumns {
  return { steps: new BigInt64Array(count), wallTimes: new Float64Array(count), values: new Float64Array(count) };
}

function copyPoint(from: PointColumns, index: number, ordinal: number, to: PointColumns, column: Float64Array, at: number): void {
  to.steps[at] = from.steps[index]!;
  to.wallTimes[at] = from.wallTimes[index]!;
  to.values[at] = from.values[index]!;
  column[at] = ordinal;
}

function interleave(a: ChunkBody, b: ChunkBody): ChunkBody {
  const countA = a.points.steps.length;
  const countB = b.points.steps.length;
  const points = newPoints(countA + countB);
  const column = new Float64Array(countA + countB);
  for (let i = 0, j = 0; i < countA || j < countB;) {
    const ordinalA = i < countA ? ordinalAt(a.ordinals, i) : Infinity;
    const ordinalB = j < countB ? ordinalAt(b.ordinals, j) : Infinity;
    if (ordinalA < ordinalB) copyPoint(a.points, i++, ordinalA, points, column, i + j - 1);
    else copyPoint(b.points, j++, ordinalB, points, column, i + j - 1);
  }
  return { points, ordinals: ordinalsOf(column) };
}
