/** Written by npm run generate from the schemas of apps/read that document the API. Whole numbers beyond 2^53 are strings. */
export interface FrontierJson {
  /** Every query shows everything acknowledged up to this epoch. */
  readonly epoch: number | string;
  readonly acknowledged_epoch: number | string;
  /** Absent for visitors who see a part of the experiment. */
  readonly acknowledged_bytes?: number | string;
  /** Absent for visitors who see a part of the experiment. */
  readonly visible_bytes?: number | string;
  /** Absent for visitors who see a part of the experiment. */
  readonly incomplete_tail_bytes?: number | string;
  /** Absent for visitors who see a part of the experiment. */
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
  /** When data last arrived. Null: none yet, or a snapshot. Null for visitors who see a part of the experiment. */
  readonly received: string | null;
  readonly labels: readonly string[];
  /** Markdown. Null in lists, and for visitors. */
  readonly notes: string | null;
  /** Archived: lists leave it out by default. */
  readonly archived: boolean;
  /** public: anyone with the address can read it; only the workspace lists it. */
  readonly visibility: 'private' | 'public';
  /** The experiment it was copied from, and that experiment's frontier at the time. Only for members. */
  readonly snapshot: {
    readonly of: string;
    readonly epoch: number | string;
  } | null;
  /** Runs with at least one readable event. */
  readonly runs: number;
  /** Scalar points stored, including superseded ones. Null for visitors who see a part of the experiment. */
  readonly points: number | string | null;
  /** Tensor points stored, including superseded ones. Null for visitors who see a part of the experiment. */
  readonly tensors: number | string | null;
  /** Blob sequence points stored, including superseded ones. Null for visitors who see a part of the experiment. */
  readonly blob_sequences: number | string | null;
  /** Bytes of event files acknowledged. Null for visitors who see a part of the experiment. */
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
  /** Readable events; grows with the run. Null for visitors who see a part of the experiment. */
  readonly events: number | string | null;
  /** success, failure, running or unknown, as logged by the run. */
  readonly status: string;
  readonly group: string | null;
  readonly hparams: Readonly<Record<string, string | number | boolean>>;
  readonly labels: readonly string[];
  /** Markdown. Null for visitors. */
  readonly notes: string | null;
  /** Archived: lists leave it out by default. */
  readonly archived: boolean;
}

export interface TagJson {
  readonly tag: string;
  readonly plugin: string;
  readonly data_class: 'scalar' | 'tensor' | 'blob_sequence';
  /** Runs with this tag. */
  readonly runs: number;
  readonly display_name: string;
  readonly description: string;
  /** Scalar points that a restart replaced, over all runs. */
  readonly superseded_points: number;
}

export interface RunBehindJson {
  readonly run: string;
  /** When the oldest pending bytes arrived. */
  readonly since: string;
  readonly bytes: number | string;
  /** failing: the last try failed, as detail says; deletion: a deletion of its points goes first; working: a worker is ingesting it (for long: it is slow, or hangs, and another one takes over after 30 s of silence); waiting: no worker has claimed it yet. */
  readonly why: 'failing' | 'deletion' | 'working' | 'waiting';
  readonly detail: string | null;
  readonly failures: number;
  readonly next_try_at: string | null;
}

export interface ShareLinkJson {
  readonly id: string;
  readonly kind: 'page' | 'embed';
  readonly name: string;
  /** The experiment it shows; for a frozen link, the snapshot. */
  readonly experiment: string;
  readonly frozen: boolean;
  /** Shows only these. Null: all. */
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly anonymous: boolean;
  /** For an embed: the sites that may frame it. */
  readonly origins: readonly string[] | null;
  readonly expires_at: string | null;
  readonly made_by: {
    readonly id: string;
    readonly name: string;
  } | null;
  readonly created_at: string;
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
  /** warning: from 80 % on; exceeded: requests are rejected. */
  readonly state: 'ok' | 'warning' | 'exceeded';
}

export interface UsageJson {
  readonly quotas: {
    readonly points: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly bytes: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly experiments: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly series: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly files: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly pending_bytes: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
    readonly requests_per_minute: {
      readonly used: number;
      readonly limit: number;
      /** warning: from 80 % on; exceeded: requests are rejected. */
      readonly state: 'ok' | 'warning' | 'exceeded';
    };
  };
  readonly bytes: {
    /** Of event files, before compression. */
    readonly originals: number;
    /** Tensors and blobs extracted from event files, each counted as often as it was logged. */
    readonly values: number;
    /** Deleted objects that are not removed yet. */
    readonly being_deleted: number;
  };
  /** Null while the workspace is not suspended. */
  readonly suspension: {
    readonly mode: 'read-only' | 'closed';
    readonly reason: string;
    readonly since: string;
  } | null;
}

export interface ReceiptJson {
  /** SHA-256, hexadecimal. */
  readonly digest: string;
  readonly frontier: FrontierJson;
  readonly totals: {
    readonly files: number;
    readonly bytes: Integer;
    readonly points: Integer;
    readonly tensors: Integer;
    readonly blobs: Integer;
    readonly invalid_points: Integer;
  };
  readonly files: readonly {
    readonly file_id: string;
    readonly run: string;
    readonly name: string;
    readonly version: number;
    readonly bytes: Integer;
    readonly crc32c: string;
    readonly complete: boolean;
  }[];
  readonly problems: readonly unknown[];
}
