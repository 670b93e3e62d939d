import type { ExperimentId, RunName, TagName, View } from '#model';
import { tableFormats } from '#tables';

/**
 * The formats of the exports that the service writes: tables of scalars, event files with all
 * effective values, and the event files as uploaded.
 */
export const exportFormats = [...tableFormats, 'events', 'raw'] as const;

/** One of {@link exportFormats}. */
export type ExportFormat = (typeof exportFormats)[number];

/** An export's content and format. */
export interface ExportSelection {
  readonly experimentId: ExperimentId;
  readonly format: ExportFormat;
  /** By name. Null means all. */
  readonly runs: readonly RunName[] | null;
  /** Null means all, and is always used if the format is `raw`. */
  readonly tags: readonly TagName[] | null;
}

/**
 * Changes when the bytes of any format change, so that stored exports from an older version are not
 * reused.
 */
export const formatVersion = 1;

/** Selects an export's runs and tags. */
export function viewOf({ runs, tags }: ExportSelection): View | null {
  return runs === null && tags === null ? null : { runs, tags, anonymous: false };
}
