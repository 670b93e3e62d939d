/** Written by npm run generate from the schemas of apps/read that document the API. Whole numbers beyond 2^53 are strings. */
export interface FrontierJson {
  /** Queries return everything acknowledged up to this epoch. */
  readonly epoch: number | string;
  readonly acknowledged_epoch: number | string;
  /** Absent for visitors who see only a part of the experiment. */
  readonly acknowledged_bytes?: number | string;
  /** Absent for visitors who see only a part of the experiment. */
  readonly visible_bytes?: number | string;
  /** Absent for visitors who see only a part of the experiment. */
  readonly incomplete_tail_bytes?: number | string;
  /** Absent for visitors who see only a part of the experiment. */
  readonly rejected_bytes?: number | string;
  readonly visible: boolean;
}

export interface ExperimentJson {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly description: string;
  /** Null for visitors with an anonymous link. */
  readonly owner: {
    readonly id: string;
    readonly name: string;
  } | null;
  /** Null for visitors with an anonymous link. */
  readonly workspace: string | null;
  readonly created: string;
  readonly updated: string;
  /** When data last arrived. Null if none has arrived yet, or for a snapshot. Null for visitors who see only a part of the experiment. */
  readonly received: string | null;
  readonly labels: readonly string[];
  /** Markdown. Null in lists, and for visitors. */
  readonly notes: string | null;
  /** Whether the experiment is archived. Lists omit archived experiments by default. */
  readonly archived: boolean;
  /** public: anyone with the address can read it, but only the workspace sees it in lists. */
  readonly visibility: 'private' | 'public';
  /** The source experiment, and its frontier at the time of the copy. Only for members. */
  readonly snapshot: {
    readonly of: string;
    readonly epoch: number | string;
  } | null;
  /** The query string of the default saved view. Null if there is no default view. Only for members. */
  readonly default_view: string | null;
  /** Present in lists with `newest_run`. Null if the experiment has no run. */
  readonly newest_run?: {
    readonly run: string;
    readonly display_name: string | null;
    /** The same states as in lists of runs. */
    readonly state: 'running' | 'stalled' | 'crashed' | 'finished' | 'failed' | 'unknown';
    /** The most informative series: a result on validation data, if there is one. Null if the run has no scalars. */
    readonly metric: {
      readonly tag: string;
      readonly last: number | 'NaN' | 'Infinity' | '-Infinity';
      readonly min: number | 'NaN' | 'Infinity' | '-Infinity';
      readonly max: number | 'NaN' | 'Infinity' | '-Infinity';
      readonly steps: readonly (number | string)[];
      /** The last value of each of at most 32 buckets, at `steps`. */
      readonly values: readonly (number | 'NaN' | 'Infinity' | '-Infinity')[];
    } | null;
  } | null;
  /** Runs with at least one readable event. */
  readonly runs: number;
  /** Scalar points stored, including superseded points. Null for visitors who see only a part of the experiment. */
  readonly points: number | string | null;
  /** Tensor points stored, including superseded points. Null for visitors who see only a part of the experiment. */
  readonly tensors: number | string | null;
  /** Blob sequence points stored, including superseded points. Null for visitors who see only a part of the experiment. */
  readonly blob_sequences: number | string | null;
  /** Bytes of event files acknowledged. Null for visitors who see only a part of the experiment. */
  readonly bytes: number | string | null;
  readonly frontier: {
    readonly epoch: number | string;
    readonly acknowledged_epoch: number | string;
    readonly visible: boolean;
  };
}

export interface RunJson {
  /** Path below the log directory; `.` is the log directory itself. */
  readonly run: string;
  /** Smallest positive wall time, in seconds since 1970. */
  readonly start_time: number | 'NaN' | 'Infinity' | '-Infinity' | null;
  readonly last_time: number | 'NaN' | 'Infinity' | '-Infinity' | null;
  /** Readable events; grows with the run. Null for visitors who see only a part of the experiment. */
  readonly events: number | string | null;
  /** success, failure, running or unknown, as logged by the run. */
  readonly status: string;
  readonly group: string | null;
  /** The display name that a member set, otherwise the name that the run recorded. */
  readonly display_name: string | null;
  readonly job_type: string | null;
  /** The configuration (hyperparameters); keys of nested values are joined with dots. */
  readonly config: Readonly<Record<string, string | number | boolean>>;
  /** The same as `config`. */
  readonly hparams: Readonly<Record<string, string | number | boolean>>;
  /** Derived from status and heartbeat. `stalled`: nothing was logged for ten minutes, although the process is alive or has not logged an end. `crashed`: the heartbeat stopped and no end was logged. */
  readonly state: 'running' | 'stalled' | 'crashed' | 'finished' | 'failed' | 'unknown';
  /** When events of the run were last ingested, in seconds since 1970, by the service's clock. */
  readonly heartbeat: number | 'NaN' | 'Infinity' | '-Infinity' | null;
  /** The command, code version and working folder, as the run recorded them. Null for anonymous links, like person and host. */
  readonly source: {
    readonly command: string | null;
    readonly git_commit: string | null;
    /** Whether tracked files had uncommitted changes. */
    readonly git_dirty: boolean | null;
    readonly git_branch: string | null;
    readonly git_remote: string | null;
    /** Working folder of the process. */
    readonly folder: string | null;
  } | null;
  /** User name on the training machine. */
  readonly person: string | null;
  readonly host: string | null;
  readonly labels: readonly string[];
  /** Markdown. Null for visitors. */
  readonly notes: string | null;
  /** Whether the run is archived. Lists omit archived runs by default. */
  readonly archived: boolean;
  /** The values requested with `value`, in the order of the request. */
  readonly values?: readonly (string | number | boolean | null)[];
}

export interface TagJson {
  readonly tag: string;
  readonly plugin: string;
  readonly data_class: 'scalar' | 'tensor' | 'blob_sequence';
  /** Runs with this tag. */
  readonly runs: number;
  readonly display_name: string;
  readonly description: string;
  /** Scalar points that a restart superseded, across all runs. */
  readonly superseded_points: number;
}

export interface ReceiptJson {
  readonly experiment_id: string;
  /** SHA-256 (hexadecimal) over lines `run NUL name NUL version NUL bytes NUL crc32c LF` sorted by bytes. */
  readonly digest: string;
  readonly frontier: Readonly<Record<string, unknown>>;
  readonly totals: {
    readonly files: number;
    readonly bytes: number | string;
    readonly records: number | string;
    readonly points: number | string;
    readonly tensors: number | string;
    readonly blob_sequences: number | string;
    readonly blobs: number | string;
    readonly invalid_points: number | string;
  };
  readonly files: readonly {
    readonly file_id: string;
    readonly run: string;
    readonly name: string;
    readonly version: number;
    /** The durable prefix. */
    readonly bytes: number | string;
    /** CRC-32C of the durable bytes as received: eight hexadecimal digits. */
    readonly crc32c: string;
    /** SHA-256 of the file in hexadecimal. Null until the file is complete and its hash is known. */
    readonly sha256: string | null;
    readonly complete: boolean;
    /** Whether the bytes can be downloaded. False once the workspace's retention period for originals has passed, or if the stored bytes could not be read when points were deleted. */
    readonly original_kept: boolean;
    /** Whether points of the file were deleted. Its bytes are then kept without these points: padding that readers skip replaces them. `bytes`, `crc32c` and `sha256` still describe the file as received. */
    readonly original_rewritten: boolean;
    /** CRC-32C of the bytes that can be downloaded. It differs from `crc32c` if `original_rewritten` is true. Null if the bytes are not kept. */
    readonly content_crc32c: string | null;
    readonly records: number | string;
    /** The first record with a wrong data checksum. Such records are read if all records of the file so far have wrong data checksums. */
    readonly unverified_records: number | string;
    /** Bytes that were skipped: damaged, over a limit, or after damage that ends the file. */
    readonly rejected_bytes: number | string;
    /** Bytes of an incomplete last record. */
    readonly incomplete_bytes: number | string;
    /** The run's file (`file_id`) that begins with all bytes of this file, which therefore adds no points. Null if this file is not a copy. */
    readonly copy_of: string | null;
    /** Whether a newer version of the file was read. If so, all points of this version are superseded. */
    readonly replaced: boolean;
  }[];
  readonly series: readonly {
    readonly run: string;
    readonly tag: string;
    /** The number of the writer, if several writers logged this tag of the run: 0, 1, 2 … */
    readonly writer?: number;
    readonly data_class: string;
    readonly listed: boolean;
    /** Effective points. */
    readonly points: number | string;
    readonly superseded_points: number | string;
    readonly invalid_points: number | string;
    readonly mismatched_points: number | string;
    readonly rounded_points: number | string;
  }[];
  readonly problems: readonly {
    readonly run: string;
    readonly file: string;
    readonly file_id: string;
    readonly version: number;
    readonly offset: number | string;
    /** Bytes of the file that were skipped because of the problem. */
    readonly bytes: number | string;
    /** Stable. One of `length-checksum`, `length-too-large`, `data-checksum`, `record-too-large`, `truncated-record`, `unverified-records`, `not-an-event`, `nested-too-deeply`, `too-many-values`, `invalid-utf8`, `blob-too-large`, `metadata-has-nul`, `metadata-too-large`, `tag-has-nul`, `tag-too-long`, `tensor-too-large`, `too-many-blobs`, `too-many-series`, `value-without-data`, `more-problems`, `quarantined`, `reading-fails`, `stored-bytes-lost`; newer versions may add reasons. */
    readonly reason: string;
    readonly detail: string;
    readonly ends_file: boolean;
  }[];
}

export interface RunBehindJson {
  readonly run: string;
  /** When the oldest pending bytes arrived. */
  readonly since: string;
  readonly bytes: number | string;
  /** `failing`: the last attempt failed; `detail` has the error. `deletion`: a deletion of the run's points runs first. `working`: a worker is ingesting the run; if this takes long, the worker is slow or hangs, and another worker takes over after 30 s of silence. `waiting`: no worker has claimed the run yet. */
  readonly why: 'failing' | 'deletion' | 'working' | 'waiting';
  readonly detail: string | null;
  readonly failures: number;
  readonly next_try_at: string | null;
}

export interface ShareLinkJson {
  readonly id: string;
  readonly kind: 'page' | 'embed';
  readonly name: string;
  /** The experiment that the link shows; for a frozen link, the snapshot. */
  readonly experiment: string;
  readonly frozen: boolean;
  /** The link shows only these runs. Null means all runs. */
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly anonymous: boolean;
  /** Whether the link also shows the logs of its runs. */
  readonly logs: boolean;
  /** Sites that may frame the embed. Null for other links. */
  readonly origins: readonly string[] | null;
  /** The query string with which the page opens. Null if there is none. */
  readonly view: string | null;
  readonly expires_at: string | null;
  readonly made_by: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly created_at: string;
}

export interface SavedViewJson {
  readonly id: string;
  readonly experiment: string;
  readonly name: string;
  /** The query string of the page's address. */
  readonly view: string;
  /** Whether all members of the workspace see the view. If false, only its owner sees it. */
  readonly shared: boolean;
  /** Whether the page opens with this view if its address has no parameters. At most one per experiment. */
  readonly default: boolean;
  /** Who saved the view. Null if the person was erased. */
  readonly owner: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly updated: string;
}

export interface ReportJson {
  readonly id: string;
  readonly title: string;
  /** Counts the changes. Send this number with each change. */
  readonly version: number;
  /** Who created the report. Null if the person was erased. */
  readonly owner: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly created: string;
  readonly updated: string;
  /** Who made the last change. Null if the person was erased. */
  readonly updated_by: {
    readonly id: string;
    readonly name: string;
  } | null;
  /** Markdown. Code blocks named plotline contain addresses of views; see docs/page.md. */
  readonly body: string;
  /** The workspace's experiments that the report's blocks showed and compared when the text was last changed. Some of these experiments may be deleted. */
  readonly experiments: readonly string[];
}

export interface ReportSummaryJson {
  readonly id: string;
  readonly title: string;
  /** Counts the changes. Send this number with each change. */
  readonly version: number;
  /** Who created the report. Null if the person was erased. */
  readonly owner: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly created: string;
  readonly updated: string;
  /** Who made the last change. Null if the person was erased. */
  readonly updated_by: {
    readonly id: string;
    readonly name: string;
  } | null;
}

export interface ReportLinkJson {
  readonly id: string;
  readonly kind: 'report';
  readonly name: string;
  readonly report: string;
  readonly anonymous: boolean;
  readonly expires_at: string | null;
  readonly made_by: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly created_at: string;
}

export interface ExportJson {
  readonly id: string;
  readonly url: string;
  readonly experiment: string;
  readonly format: 'csv' | 'jsonl' | 'arrow' | 'parquet' | 'events' | 'raw';
  /** Null means all. */
  readonly runs: readonly string[] | null;
  /** Null means all. */
  readonly tags: readonly string[] | null;
  readonly state: 'queued' | 'running' | 'finished' | 'failed';
  /** Scalar points written so far; 0 if the format is `raw`. */
  readonly points: number;
  /** 0 until the export runs. */
  readonly total_points: number;
  /** 0 until the export has finished. Download each file by its number; the first is 0. */
  readonly files: number;
  /** Total size of all files; 0 until the export has finished. If the format is `raw`, the bytes written so far. */
  readonly bytes: number;
  /** If the format is `raw`: the final value of `bytes`, known once the export runs. Otherwise the same as `bytes`. */
  readonly total_bytes: number;
  readonly requested: string;
  readonly finished: string | null;
  /** When the result expires. Null until the export has finished. */
  readonly expires: string | null;
  /** Why the export failed, as a problem code. */
  readonly problem: string | null;
}

export interface CitationJson {
  /** The snapshot. It never changes. */
  readonly id: string;
  /** The page of the citation. */
  readonly url: string;
  readonly title: string;
  readonly authors: readonly string[];
  readonly license: string | null;
  /** The license as an SPDX identifier. Null if the license is other text, or if none was given. */
  readonly spdx: string | null;
  readonly published: string;
  /** The source experiment, its frontier at the time of the copy, and that time. */
  readonly snapshot: {
    readonly of: string;
    readonly epoch: number | string;
    readonly taken: string;
  };
  /** Digest of the content, in the canonical form of docs/snapshots.md. Null until it is computed. */
  readonly digest: string | null;
  /** Number of series with values. This and the following counts are 0 until the digest is computed. */
  readonly series: number | string;
  /** Effective values. */
  readonly scalars: number | string;
  readonly tensors: number | string;
  readonly blob_sequences: number | string;
  /** The citation on one line. */
  readonly text: string;
  readonly bibtex: string;
}

export interface TokenJson {
  readonly id: string;
  readonly name: string;
  /** The last characters of the token. */
  readonly hint: string;
  readonly person: {
    readonly id: string;
    readonly name: string;
  };
  readonly scopes: readonly string[];
  readonly experiments: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  /** To the hour. */
  readonly last_used_at: string | null;
}

export interface MemberJson {
  readonly id: string;
  readonly name: string;
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  readonly joined: string;
}

export interface InvitationJson {
  readonly id: string;
  readonly role: 'owner' | 'admin' | 'member' | 'viewer';
  readonly invited_by: {
    readonly id: string;
    readonly name: string;
  };
  readonly created: string;
  readonly expires: string;
}

export interface QuotaJson {
  readonly used: number;
  readonly limit: number;
  /** warning: at 80 % or more; exceeded: requests are rejected. */
  readonly state: 'ok' | 'warning' | 'exceeded';
}

export interface UsageJson {
  readonly quotas: {
    readonly points: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly bytes: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly experiments: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly series: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly files: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly pending_bytes: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly requests_per_minute: {
      readonly used: number;
      readonly limit: number;
      /** warning: at 80 % or more; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
  };
  readonly bytes: {
    /** Bytes of event files, before compression. */
    readonly originals: number;
    /** Tensors and blobs extracted from event files, counted each time they were logged. */
    readonly values: number;
    /** Bytes of export results, until they expire. */
    readonly exports: number;
    /** Bytes of deleted objects that are not removed yet. */
    readonly being_deleted: number;
  };
  /** Null while the workspace is not suspended. */
  readonly suspension: {
    readonly mode: 'read-only' | 'closed';
    readonly reason: string;
    readonly since: string;
  } | null;
}
