/** What a batch adds to the counts of its run and its series. */
import type { FileBatch, SeriesBatch } from '#model';
import { decodeHparams, decodeSessionEnd, sessionEndTag, sessionStartTag } from '#points';
import type { RunStateUpdate, SeriesStatsDelta } from '#store';
import type { BatchSeries } from './store-values.ts';

/** The number of points in a batch: scalars, tensors and blob rows. */
export function pointsOf({ series }: FileBatch): number {
  return series.reduce(
    (sum, { scalars, tensors, blobSequences }) => sum + (scalars?.steps.length ?? 0) + tensors.length + blobSequences.length,
    0,
  );
}

/** The update of a run's state from a batch. `newSeries`: how many series the batch created. */
export function runStateOf(batch: FileBatch, newSeries: number): RunStateUpdate {
  const hparamsSeries = batch.series.filter((entry) => entry.meta.plugin === 'hparams');
  const start = firstNonNull(hparamsSeries, (entry) =>
    entry.meta.tag === sessionStartTag ? decodeHparams(entry.meta.pluginContent) : null,
  );
  const end = firstNonNull(hparamsSeries, (entry) =>
    entry.meta.tag === sessionEndTag ? decodeSessionEnd(entry.meta.pluginContent) : null,
  );
  return {
    events: batch.events,
    startTime: batch.startWallTime,
    lastTime: batch.lastWallTime,
    hparams: start?.hparams ?? null,
    groupName: start?.groupName || null,
    status: end?.status ?? null,
    points: pointsOf(batch),
    series: newSeries,
    valueBytes: valueBytesOf(batch),
  };
}

/**
 * Counters of the series that a batch created, or for which it counts invalid, mismatched or
 * rounded points. A live run mostly adds to its tail, so rows without new information are not
 * written.
 */
export function countersOf(series: readonly BatchSeries[]): SeriesStatsDelta[] {
  return series
    .filter(({ isNew, batch }) => isNew || batch.invalidPoints + batch.mismatchedPoints + batch.roundedPoints > 0)
    .map(({ seriesId, batch }) => ({
      seriesId,
      points: 0,
      superseded: 0,
      invalid: batch.invalidPoints,
      mismatched: batch.mismatchedPoints,
      rounded: batch.roundedPoints,
      firstStep: null,
      lastStep: null,
      lastWallTime: null,
      maxLength: null,
    }));
}

function valueBytesOf({ series }: FileBatch): number {
  let bytes = 0;
  for (const { tensors, blobSequences } of series) {
    for (const { data } of tensors) bytes += data.length;
    for (const { blobs } of blobSequences) for (const blob of blobs) bytes += blob.length;
  }
  return bytes;
}

function firstNonNull<T>(series: readonly SeriesBatch[], pick: (entry: SeriesBatch) => T | null): T | null {
  for (const entry of series) {
    const value = pick(entry);
    if (value !== null) return value;
  }
  return null;
}
