import type { ExperimentJson, RunJson, TagJson, UsageJson } from '../api/types.ts';

/** The reader of a page. */
export interface Reader {
  readonly workspace: string;
  readonly person: string;
  readonly id: string;
  readonly role: string;
  /**
   * Actions in the service's table of permissions that the reader may perform: on their own
   * objects, and on objects of other members.
   */
  readonly may: readonly string[];
  readonly mayToOthers: readonly string[];
}

/** The data that the server embeds in the page, so that the first view needs no further request. */
export interface PageData {
  /** The prefix of all paths of the service in URLs: empty, or the proxy's prefix. */
  readonly base: string;
  /** The URL at which programs reach the service. */
  readonly server: string;
  /** Null for a visitor, who can see only this page. */
  readonly reader: Reader | null;
  /** On the first page: the workspace's warnings, as sentences. */
  readonly warnings?: readonly string[];
  /** On an experiment's page. Long lists are omitted (null) and requested later. */
  readonly experiment?: {
    readonly experiment: ExperimentJson;
    readonly runs: readonly RunJson[] | null;
    readonly tags: readonly TagJson[] | null;
    /** The number of problems in the experiment's files, if the reader may see it. */
    readonly problems: number;
    /** Whether the experiment is a citable snapshot with a citation that the reader may see. */
    readonly cited: boolean;
  };
  /** Only on the first page. */
  readonly experiments?: {
    readonly experiments: readonly ExperimentJson[];
    readonly next: string | null;
    /** The server's time. */
    readonly at: string;
  };
  /** Whether the script hydrates only the header. If so, the rest of the page is static. */
  readonly apart?: boolean;
  /** Whether the page has no script and is framed by another site. If so, it contains no links. */
  readonly still?: boolean;
  /** Only on the usage page. */
  readonly usage?: UsageJson;
}

/** Id of the element that contains the page data as JSON. */
export const pageDataId = 'page-data';

/** Id of the element that contains the header, on pages whose content needs no script. */
export const headerRootId = 'bar';

/** Id of the page's root element. */
export const pageRootId = 'page';
