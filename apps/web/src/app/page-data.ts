import type { ExperimentJson, RunJson, TagJson, UsageJson } from '../api/types.ts';

/** The reader of a page. */
export interface Reader {
  readonly workspace: string;
  readonly person: string;
  readonly id: string;
  readonly role: string;
  /**
   * Actions of the service's table of permissions: on their own objects, and on those of others.
   */
  readonly may: readonly string[];
  readonly mayToOthers: readonly string[];
}

/**
 * The data that the server embeds in the page, so that the first view needs no further request for
 * it.
 */
export interface PageData {
  /** The prefix of every path of the service in a URL: empty or the prefix of a proxy. */
  readonly base: string;
  /** The URL at which programs reach the service. */
  readonly server: string;
  /** Null for a visitor, who has only this page. */
  readonly reader: Reader | null;
  /** On the first page: warnings of the workspace, as sentences. */
  readonly warnings?: readonly string[];
  /** On the page of an experiment. Long lists are omitted (null), and requested later. */
  readonly experiment?: {
    readonly experiment: ExperimentJson;
    readonly runs: readonly RunJson[] | null;
    readonly tags: readonly TagJson[] | null;
    /** The number of problems in its files, if the reader may see it. */
    readonly problems: number;
    /** Whether it is a citable snapshot whose citation the reader may see. */
    readonly cited: boolean;
  };
  /** On the first page. */
  readonly experiments?: {
    readonly experiments: readonly ExperimentJson[];
    readonly next: string | null;
    /** The server's time. */
    readonly at: string;
  };
  /** The script hydrates only the header; the rest of the page is complete. */
  readonly apart?: boolean;
  /** A page without a script, in a frame of another site: it contains no links. */
  readonly still?: boolean;
  /** On the usage page. */
  readonly usage?: UsageJson;
}

/** Id of the element that contains the page data as JSON. */
export const pageDataId = 'page-data';

/** Id of the element around the header, on pages whose content needs no script. */
export const headerRootId = 'bar';

/** Id of the root element of the page. */
export const pageRootId = 'page';
