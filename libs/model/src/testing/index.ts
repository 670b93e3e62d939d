import type { ExperimentId, FileId, RunId, SeriesId, TenantId } from '../ids.ts';

/** Any string as a workspace id. */
export function tenantIdOf(text: string): TenantId {
  return text as TenantId;
}

/** Any string as an experiment id. */
export function experimentIdOf(text: string): ExperimentId {
  return text as ExperimentId;
}

/** Any string as a run id. */
export function runIdOf(text: string): RunId {
  return text as RunId;
}

/** Any string as an event file id. */
export function fileIdOf(text: string): FileId {
  return text as FileId;
}

/** Any string as a series id. */
export function seriesIdOf(text: string): SeriesId {
  return text as SeriesId;
}
