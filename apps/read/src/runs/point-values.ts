import { Problem, type RunId } from '#model';
import { type PointAsked, type PointAt, type PointCaches, readPointsAt, type RunsAsked } from '#series';
import { type FieldRef, type Filter, pointFields, type PointValues, type RunValue, sameField, type Snapshot } from '#store';

/**
 * Maximum number of different fields of {@link pointFields} in one filter and order, because each
 * is read for all runs.
 */
const maxCompared = 8;

/** Whether a field is about the point of a run at a step. */
export function isOfPoint({ field }: FieldRef): boolean {
  return Object.hasOwn(pointFields, field);
}

/** The fields of points that a filter and an order compare. */
export function comparedPoints(filter: Filter | null, order: readonly FieldRef[]): FieldRef[] {
  const refs = order.filter(isOfPoint);
  const visit = (part: Filter): void => {
    if (part.kind === 'not') visit(part.term);
    else if (part.kind !== 'compare') part.terms.forEach(visit);
    else if (isOfPoint(part)) refs.push(part);
  };
  if (filter) visit(filter);
  const different = refs.filter((ref, i) => refs.findIndex((other) => sameField(other, ref)) === i);
  if (different.length > maxCompared)
    throw new Problem('invalid-filter', `A filter and an order can compare at most ${maxCompared} values at steps.`);
  return different.map(({ field, argument, second }) => ({ field, argument, ...(second !== undefined && { second }) }));
}

/** The values of these fields, for the runs that have values. */
export async function readPointValues(
  snapshot: Snapshot,
  runs: RunsAsked,
  refs: readonly FieldRef[],
  caches: PointCaches,
): Promise<PointValues[]> {
  if (refs.length === 0) return [];
  const asked = refs.map(pointOf);
  // A value and its step come from the same point
  const keys = asked.map(keyOf);
  const different = asked.filter((_, i) => keys.indexOf(keys[i]!) === i);
  const found = await readPointsAt(snapshot, runs, different, caches);
  const byKey = new Map(different.map((one, i) => [keyOf(one), found[i]!]));
  return refs.map((ref, i) => {
    const points = [...byKey.get(keys[i]!)!];
    const number = ref.field.startsWith('step_') ? ({ step }: PointAt) => Number(step) : ({ value }: PointAt) => value;
    return { ref, runIds: points.map(([runId]) => runId), values: points.map(([, point]) => number(point)) };
  });
}

/**
 * Returns the values of each run's fields. `values` of a run has the values of the fields that are
 * not about a point, in order. `points`: the values of the fields that are, for at least these
 * runs.
 */
export function withPointValues(
  refs: readonly FieldRef[],
  points: readonly PointValues[],
  runs: readonly { readonly runId: RunId; readonly values: readonly RunValue[] }[],
): RunValue[][] {
  const columns = refs.map((ref) => {
    const known = isOfPoint(ref) ? points.find((one) => sameField(one.ref, ref)) : undefined;
    return known && new Map(known.runIds.map((runId, i) => [runId, known.values[i]!]));
  });
  return runs.map(({ runId, values }) => {
    let at = 0;
    return refs.map((ref, i) => (isOfPoint(ref) ? (columns[i]?.get(runId) ?? null) : (values[at++] ?? null)));
  });
}

function pointOf({ field, argument, second = '' }: FieldRef): PointAsked {
  const [, extreme] = /_(min|max)$/.exec(field) ?? [];
  const at = extreme === undefined ? BigInt(second) : { extreme: extreme as 'min' | 'max', tag: second };
  return { tag: argument ?? '', at };
}

function keyOf({ tag, at }: PointAsked): string {
  return JSON.stringify([tag, typeof at === 'bigint' ? String(at) : at]);
}
