import type { ExperimentJson, RunJson, TagJson, UsageJson } from '../api/types.ts';

/** Who looks at a page. */
export interface Reader {
  readonly workspace: string;
  readonly person: string;
  readonly id: string;
  readonly role: string;
  /** Actions of the service's table of permissions: to what is theirs, and to what somebody else made. */
  readonly may: readonly string[];
  readonly mayToOthers: readonly string[];
}

/** What the server puts into the page, so that the first view needs no further request for it. */
export interface PageData {
  /** What stands before every path of the service in an address: empty, or the prefix of a proxy. */
  readonly base: string;
  /** How programs reach the service. */
  readonly server: string;
  /** Null: a visitor, who has this page only. */
  readonly reader: Reader | null;
  /** On the first page: what its workspace should know, in sentences. */
  readonly warnings?: readonly string[];
  /** On the page of an experiment. Lists that are long are left out (null), and asked for. */
  readonly experiment?: {
    readonly experiment: ExperimentJson;
    readonly runs: readonly RunJson[] | null;
    readonly tags: readonly TagJson[] | null;
    /** How many things in its files could not be read, as far as the reader may know. */
    readonly problems: number;
  };
  /** On the first page. */
  readonly experiments?: {
    readonly experiments: readonly ExperimentJson[];
    readonly next: string | null;
    /** The server's time. */
    readonly at: string;
  };
  /** A page without a script, in a frame of another site: nothing on it leads anywhere. */
  readonly still?: boolean;
  /** On the page of usage. */
  readonly usage?: UsageJson;
}

/** Id of the element that holds it, as JSON. */
export const pageDataId = 'page-data';

/** Id of the element that the page is drawn into. */
export const pageRootId = 'page';
