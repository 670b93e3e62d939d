import type { ExperimentId, FileId, RunId, SeriesId, TenantId } from '../ids.ts';

/** Any text as the id of a workspace. */
export function tenantIdOf(text: string): TenantId {
  return text as TenantId;
}

/** Any text as the id of an experiment. */
export function experimentIdOf(text: string): ExperimentId {
  return text as ExperimentId;
}

/** Any text as the id of a run. */
export function runIdOf(text: string): RunId {
  return text as RunId;
}

/** Any text as the id of an event file. */
export function fileIdOf(text: string): FileId {
  return text as FileId;
}

/** Any text as the id of a series. */
export function seriesIdOf(text: string): SeriesId {
  return text as SeriesId;
}
