import type { LogDirectoryName } from '../logs/log-directories.ts';

/** Data that the stock uploader skips in a directory, and its message. */
interface Dropped {
  readonly run: string;
  readonly tag: string;
  readonly message: RegExp;
}

interface Faults {
  /**
   * The folder at which the uploader fails, and its last message. Without this folder, the rest of
   * the directory is uploaded.
   */
  readonly ends: { readonly folder: string; readonly message: RegExp } | null;
  readonly drops: readonly Dropped[];
}

const none: Faults = { ends: null, drops: [] };

/** The stock uploader's faults with each real log directory. */
export const uploaderFaults: Readonly<Record<LogDirectoryName, Faults>> = {
  damaged: {
    // A run folder with `tfevents` in its own name.
    ends: { folder: 'f not events/folder with the name', message: /IsADirectoryError: .*folder with the name\/old_tfevents/ },
    drops: [],
  },
  frameworks: none,
  keras: none,
  keras_hparams: none,
  long_scalars: none,
  tensorboardx: none,
  tf1_legacy: {
    ends: null,
    drops: [
      {
        run: 'v1 plugin ops',
        tag: 'alpha_aud/audio_summary',
        message: /rank-1 Tensor\. Provided data has rank 2, for run v1 plugin ops, tag alpha_aud\/audio_summary, step/,
      },
    ],
  },
  tf2_summaries: none,
  torch: none,
};
