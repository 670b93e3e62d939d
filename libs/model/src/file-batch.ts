import type { TagName } from './names.ts';
import type { DataClass } from './data-class.ts';
import type { DtypeName } from './dtype-name.ts';
import type { PointColumns } from './point-columns.ts';
import type { FileProblemReason } from './problem-reason.ts';

/**
 * The properties of a series, determined by its first value in the run (data rule 3: the first
 * metadata of a tag wins).
 */
export interface SeriesMeta {
  readonly tag: TagName;
  /**
   * Whether this is an unlisted twin series, which keeps the tag's values that do not have its
   * class, as raw tensors.
   */
  readonly twin: boolean;
  readonly dataClass: DataClass;
  /**
   * False for tags without a data class and for twins: lists include them only with `unlisted=true`
   * (data rule 11).
   */
  readonly listed: boolean;
  readonly plugin: string;
  /** SummaryMetadata.plugin_data.content, unchanged. */
  readonly pluginContent: Uint8Array;
  readonly displayName: string;
  /** Markdown. */
  readonly description: string;
}

/**
 * One tensor point. `data`: numbers are packed little-endian in C order; each string is a
 * big-endian uint32 length followed by its bytes.
 */
export interface TensorValue {
  /** Offset of the value's record in the file. */
  readonly offset: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly dtype: DtypeName;
  readonly shape: readonly number[];
  readonly data: Uint8Array;
}

/** One blob sequence point: its blobs in order. */
export interface BlobSequenceValue {
  readonly offset: number;
  readonly step: bigint;
  readonly wallTime: number;
  readonly blobs: readonly Uint8Array[];
}

/**
 * The new points of one series from one range of one file, in log order. Only the list of its data
 * class is filled.
 */
export interface SeriesBatch {
  readonly meta: SeriesMeta;
  readonly scalars: PointColumns | null;
  readonly tensors: readonly TensorValue[];
  readonly blobSequences: readonly BlobSequenceValue[];
  /**
   * Number of values that could not be stored: over a limit or malformed. Each also has a {@link
   * FileProblem}.
   */
  readonly invalidPoints: number;
  /** Number of values that do not have the series' class and went to its twin. */
  readonly mismatchedPoints: number;
  /** Number of integers beyond 2^53 that became the nearest float64. */
  readonly roundedPoints: number;
}

/**
 * A SessionLog START. It supersedes the run's earlier points (in log order) with a step that is not
 * smaller, unless it is the run's first START.
 */
export interface SessionStart {
  /** Offset of the START's record in the file. */
  readonly offset: number;
  readonly step: bigint;
  readonly wallTime: number;
  /**
   * For each entry of `FileBatch.series` (same index), how many of the batch's points came before
   * this START; missing entries are 0.
   */
  readonly pointsBefore: readonly number[];
}

/**
 * A part of a file that was skipped or that ends the file, at an offset that the file's owner can
 * inspect.
 */
export interface FileProblem {
  readonly offset: number;
  /**
   * Bytes of the file that were skipped because of the problem; 0 if only one value of a record was
   * skipped.
   */
  readonly bytes: number;
  readonly reason: FileProblemReason;
  /** A sentence for the owner of the file. */
  readonly detail: string;
  /** Whether nothing after this part of the file can be read. */
  readonly endsFile: boolean;
}

/** Facts that a run records about itself; null if not recorded. Text lengths are bounded. */
export interface RunFacts {
  /** When the facts were recorded, in seconds since the epoch. */
  readonly wallTime: number;
  readonly displayName: string | null;
  readonly jobType: string | null;
  readonly labels: readonly string[];
  readonly command: string | null;
  readonly gitCommit: string | null;
  /** Whether tracked files have uncommitted changes. */
  readonly gitDirty: boolean | null;
  readonly gitBranch: string | null;
  readonly gitRemote: string | null;
  /** Working folder of the process. */
  readonly folder: string | null;
  readonly person: string | null;
  readonly host: string | null;
  /** Maximum interval in seconds between logged data while the run is alive. */
  readonly heartbeatSeconds: number | null;
}

/** The status that a run logs about itself. */
export type LoggedStatus = 'running' | 'success' | 'failure';

/** The status of a run: `unknown` if it logged none. */
export type RunStatus = LoggedStatus | 'unknown';

/** The facts about a run in a file's log messages. */
export interface RunRecord {
  readonly wallTime: number;
  readonly facts: RunFacts | null;
  readonly status: { readonly status: LoggedStatus; readonly wallTime: number } | null;
}

/** The content of one range of one event file: the points of its complete records, in columns. */
export interface FileBatch {
  readonly series: readonly SeriesBatch[];
  readonly starts: readonly SessionStart[];
  /** Number of complete records read, including skipped ones. */
  readonly records: number;
  /** Number of readable events (a run with at least one is listed, data rule 9). */
  readonly events: number;
  /**
   * Smallest wall time that is a positive finite number, over all events (data rule 4); null if
   * there is none.
   */
  readonly startWallTime: number | null;
  /** Smallest finite wall time over all events; null if there is none. */
  readonly firstWallTime: number | null;
  /** Largest finite wall time over all events; null if there is none. */
  readonly lastWallTime: number | null;
  /** The facts about the run in log messages; null if there are none. */
  readonly run: RunRecord | null;
  readonly problems: readonly FileProblem[];
}
