/** What the read API answers, as far as the page uses it (docs/api.md). Whole numbers beyond 2^53 are strings. */
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
  /** Null for whoever came by an anonymous link. */
  readonly owner: { readonly id: string; readonly name: string } | null;
  readonly created: string;
  readonly labels: readonly string[];
  readonly runs: number;
  /** Null for whoever sees a part of the experiment. */
  readonly points: Integer | null;
  readonly frontier: { readonly epoch: Integer; readonly acknowledged_epoch: Integer; readonly visible: boolean };
}

export interface RunJson {
  readonly run: string;
  readonly start_time: Float | null;
  readonly last_time: Float | null;
  readonly status: string;
  readonly hparams: Readonly<Record<string, string | number | boolean>>;
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
