import type { ScalarSeries } from '#charts';
import { type IntegerColumn, type SeriesResult } from '#series';

/** A series of a response in the form that charts draw. `smoothing`: as requested. */
export function chartSeries(
  { run, tag, writer, sourcePoints, content, smoothed, notFinite }: SeriesResult,
  smoothing: number,
  severalWriters: boolean,
): ScalarSeries {
  const name = {
    run,
    tag,
    writer: severalWriters ? writer : null,
    sourcePoints,
    notFinite: notFinite ?? null,
    exactStep: null,
    x: null,
    smoothed: smoothed ? { weight: smoothing, ...smoothed } : null,
  }; // drawing needs no more than 53 bits
  if ('points' in content) {
    const { steps, values, wallTimes } = content.points;
    const step = floats(steps);
    const count = new Float64Array(values.length).fill(1);
    return {
      ...name,
      raw: true,
      firstStep: step,
      step,
      value: values,
      first: values,
      low: values,
      high: values,
      count,
      wallTime: wallTimes,
    };
  }
  const { step, lastStep, count, first, last, min, max, wallTime } = content.buckets;
  return { ...name, raw: false, firstStep: floats(step), step: floats(lastStep), value: last, first, low: min, high: max, count, wallTime };
}

function floats(column: IntegerColumn): Float64Array {
  return column instanceof Float64Array ? column : Float64Array.from(column as ArrayLike<bigint | number>, Number);
}
