/**
 * The responses of the read API, as far as the page uses them (docs/api.md). Whole numbers beyond
 * 2^53 are strings.
 */
type Integer = number | string;
type Float = number | 'NaN' | 'Infinity' | '-Infinity';

export interface FrontierJson {
  readonly epoch: Integer;
  readonly acknowledged_epoch: Integer;
  readonly acknowledged_bytes: Integer;
  readonly visible_bytes: Integer;
  readonly visible: boolean;
}

export interface ExperimentJson {
  readonly id: string;
  readonly url: string;
  readonly name: string;
  readonly description: string;
  /** Null for visitors with an anonymous link. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly created: string;
  /**
   * When data last arrived. Null: none yet, or it is a snapshot, or the visitor sees only a part.
   */
  readonly received: string | null;
  readonly labels: readonly string[];
  /** Markdown. Null in lists, and for visitors. */
  readonly notes: string | null;
  readonly archived: boolean;
  readonly visibility: 'private' | 'public';
  /** The source of a snapshot, which never changes. */
  readonly snapshot: { readonly of: string } | null;
  readonly runs: number;
  /** Null for visitors who see only a part of the experiment. */
  readonly points: Integer | null;
  readonly frontier: { readonly epoch: Integer; readonly acknowledged_epoch: Integer; readonly visible: boolean };
}

export interface RunJson {
  readonly run: string;
  readonly start_time: Float | null;
  readonly last_time: Float | null;
  /** Readable ones; null for visitors who see only a part of the experiment. */
  readonly events: Integer | null;
  readonly status: string;
  readonly hparams: Readonly<Record<string, string | number | boolean>>;
  readonly labels: readonly string[];
  /** Markdown. Null for visitors. */
  readonly notes: string | null;
  readonly archived: boolean;
}

export interface TagJson {
  readonly tag: string;
  readonly plugin: string;
  readonly data_class: 'scalar' | 'tensor' | 'blob_sequence';
  readonly runs: number;
  readonly display_name: string;
  readonly description: string;
  readonly superseded_points: number;
}

export interface RunBehindJson {
  readonly run: string;
  readonly since: string;
  readonly why: string;
  readonly detail: string | null;
}

export interface ShareLinkJson {
  readonly id: string;
  readonly kind: 'page' | 'embed';
  readonly name: string;
  readonly frozen: boolean;
  /** Null: all of the experiment. */
  readonly runs: readonly string[] | null;
  readonly tags: readonly string[] | null;
  readonly anonymous: boolean;
  /** For an embed: the sites that may frame it. */
  readonly origins: readonly string[] | null;
  readonly expires_at: string | null;
  readonly made_by: { readonly id: string; readonly name: string } | null;
  readonly created_at: string;
}

export interface TokenJson {
  readonly id: string;
  readonly name: string;
  /** The last characters of the token. */
  readonly hint: string;
  readonly person: { readonly id: string; readonly name: string };
  readonly scopes: readonly string[];
  readonly experiments: readonly string[] | null;
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly last_used_at: string | null;
}

export interface MemberJson {
  readonly id: string;
  readonly name: string;
  readonly role: string;
  readonly joined: string;
}

export interface InvitationJson {
  readonly id: string;
  readonly role: string;
  readonly invited_by: { readonly id: string; readonly name: string };
  readonly expires: string;
}

export interface QuotaJson {
  readonly used: number;
  readonly limit: number;
  readonly state: 'ok' | 'warning' | 'exceeded';
}

export interface UsageJson {
  readonly quotas: Readonly<Record<string, QuotaJson>>;
  readonly bytes: { readonly originals: number; readonly values: number; readonly being_deleted: number };
  readonly suspension: { readonly mode: 'read-only' | 'closed'; readonly reason: string; readonly since: string } | null;
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
