import { joinNotFinite, type ScalarSeries } from '#charts';

/**
 * Appends new points to a series. `tail` contains the points from the last known step on, including
 * that step, to check that the step is unchanged. Returns null if the step has changed (points were
 * superseded or deleted), or if the tail does not consist of points. The whole series must then be
 * read again.
 */
export function appendTail(known: ScalarSeries, tail: ScalarSeries): ScalarSeries | null {
  const last = known.step.length - 1;
  if (!tail.raw || known.exactStep || tail.exactStep || last < 0 || (known.x === null) !== (tail.x === null)) return null;
  const from = tail.step.indexOf(known.step[last]!);
  if (from < 0 || !Object.is(tail.value[from], known.value[last])) return null;
  if (known.count[last] === 1 && !Object.is(tail.wallTime[from], known.wallTime[last])) return null;
  const behind = (column: Float64Array): Float64Array => column.subarray(from + 1);
  if (tail.step.length === from + 1) return known;
  const step = joined(known.step, behind(tail.step));
  const value = joined(known.value, behind(tail.value));
  const smoothed = known.smoothed && tail.smoothed?.weight === known.smoothed.weight ? tail.smoothed : null;
  const added = tail.step.length - from - 1;
  return {
    run: known.run,
    tag: known.tag,
    writer: known.writer,
    raw: known.raw,
    sourcePoints: known.sourcePoints + added,
    firstStep: known.raw ? step : joined(known.firstStep, behind(tail.step)),
    step,
    value,
    first: known.raw ? value : joined(known.first, behind(tail.value)),
    low: known.raw ? value : joined(known.low, behind(tail.value)),
    high: known.raw ? value : joined(known.high, behind(tail.value)),
    count: joined(known.count, new Float64Array(added).fill(1)),
    wallTime: joined(known.wallTime, behind(tail.wallTime)),
    smoothed: known.smoothed &&
      smoothed && {
        weight: smoothed.weight,
        last: joined(known.smoothed.last, behind(smoothed.last)),
        first: joined(known.smoothed.first, behind(smoothed.first)),
      },
    notFinite: joinNotFinite([known.notFinite, null], [known.step.length, added]), // the appended entries are points
    x: known.x && tail.x && joined(known.x, behind(tail.x)),
    exactStep: null,
  };
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const all = new Float64Array(a.length + b.length);
  all.set(a);
  all.set(b, a.length);
  return all;
}
