import type { ExperimentId, TagName, View } from '#model';
import {
  type FieldRef,
  type Filter,
  listSeries,
  type LiveStats,
  readLiveRunIds,
  readRunTails,
  type SeriesSummary,
  type Snapshot,
} from '#store';
import { withTails } from '../series-list/live-stats.ts';

const seriesFields = new Set(['last', 'min', 'max', 'last_step', 'min_step', 'max_step']);

/** The tags that a filter, an order and values refer to. */
export function tagsOf(filter: Filter | null, fields: readonly FieldRef[]): string[] {
  const tags = fields.flatMap((key) => (seriesFields.has(key.field) ? [key.argument ?? ''] : []));
  const visit = (part: Filter): void => {
    if (part.kind === 'not') visit(part.term);
    else if (part.kind !== 'compare') part.terms.forEach(visit);
    else if (seriesFields.has(part.field)) tags.push(part.argument ?? '');
  };
  if (filter) visit(filter);
  return [...new Set(tags)];
}

/**
 * Summaries of these tags in live runs. `series_stats` does not include the newest points of live
 * runs yet.
 */
export async function readLiveStats(
  snapshot: Snapshot,
  experimentId: ExperimentId,
  tags: readonly TagName[],
  view: View | null,
): Promise<LiveStats[]> {
  if (tags.length === 0) return [];
  const live = await readLiveRunIds(snapshot, experimentId);
  if (live.length === 0) return [];
  const series =
    (await listSeries(snapshot, {
      experimentId,
      runs: null,
      runIds: live,
      tags,
      plugins: null,
      unlisted: false,
      limit: 1_000_000,
      after: null,
      view,
    })) ?? [];
  const own = series.filter(({ dataClass }) => dataClass === 'scalar');
  const all = withTails(own, await readRunTails(snapshot, live));
  return [...Map.groupBy(all, ({ runId, tag }) => `${runId} ${tag}`).values()].map((writers) => {
    const { runId, tag } = writers[0]!;
    const newest = writers.reduce(later);
    const numbers = (summary: 'min' | 'max'): number[] => writers.flatMap((one) => one[summary] ?? []);
    const [min, max] = [smallest(numbers('min')), largest(numbers('max'))];
    return {
      runId,
      tag,
      last: newest.last,
      min,
      max,
      lastStep: newest.lastStep === null ? null : Number(newest.lastStep),
      minStep: earliest(writers.filter((one) => one.min === min).map((one) => one.minStep)),
      maxStep: earliest(writers.filter((one) => one.max === max).map((one) => one.maxStep)),
    };
  });
}

/**
 * The writer of a series with the largest step; if steps are equal, the writer that logged last.
 */
function later(a: SeriesSummary, b: SeriesSummary): SeriesSummary {
  if (a.lastStep === null || b.lastStep === null) return a.lastStep === null ? b : a;
  if (a.lastStep !== b.lastStep) return b.lastStep > a.lastStep ? b : a;
  return (b.lastWallTime ?? -Infinity) > (a.lastWallTime ?? -Infinity) ? b : a;
}

/** Null if one of the steps is unknown because it is in a chunk. */
function earliest(steps: readonly (bigint | undefined)[]): number | null {
  const known = steps.filter((step) => step !== undefined);
  if (known.length === 0 || known.length < steps.length) return null;
  return Number(known.reduce((a, b) => (a < b ? a : b)));
}

function smallest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
}

function largest(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((a, b) => Math.max(a, b));
}
