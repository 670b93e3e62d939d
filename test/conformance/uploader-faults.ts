import type { LogDirectoryName } from '../logs/log-directories.ts';

/** Something that the stock uploader leaves out of a directory, and what it says of it. */
interface Dropped {
  readonly run: string;
  readonly tag: string;
  readonly message: RegExp;
}

interface Faults {
  /** Where it dies; null: it does not. */
  readonly ends: Dropped | null;
  readonly drops: readonly Dropped[];
}

const none: Faults = { ends: null, drops: [] };

/** What goes wrong in the stock uploader itself with each of the real log directories. */
export const uploaderFaults: Readonly<Record<LogDirectoryName, Faults>> = {
  damaged: none,
  frameworks: none,
  keras: none,
  keras_hparams: none,
  long_scalars: none,
  tensorboardx: none,
  tf1_legacy: none,
  tf2_summaries: none,
  torch: none,
};
