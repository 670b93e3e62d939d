import type { ExperimentId, RunName, TagName, View } from '#model';
import { tableFormats } from '#tables';

/**
 * The formats of exports that the service writes: tables of scalars, event files with all effective
 * values, and the event files as uploaded.
 */
export const exportFormats = [...tableFormats, 'events', 'raw'] as const;

/** One of {@link exportFormats}. */
export type ExportFormat = (typeof exportFormats)[number];

/** The content and the format of an export. */
export interface ExportSelection {
  readonly experimentId: ExperimentId;
  readonly format: ExportFormat;
  /** By name; null: all. */
  readonly runs: readonly RunName[] | null;
  /** Null for all, as always if the format is `raw`. */
  readonly tags: readonly TagName[] | null;
}

/**
 * Changes when the bytes of any format change, so that stored exports of an older version are not
 * reused.
 */
export const formatVersion = 1;

/** Selects the runs and tags of an export. */
export function viewOf({ runs, tags }: ExportSelection): View | null {
  return runs === null && tags === null ? null : { runs, tags, anonymous: false };
}
