import type { ExperimentJson, RunJson, TagJson } from '../api/types.ts';

/** What the server puts into the page, so that the first view needs no further request for it. */
export interface PageData {
  /** What stands before every path of the service in an address: empty, or the prefix of a proxy. */
  readonly base: string;
  /** How programs reach the service. */
  readonly server: string;
  /** Who looks at it; null: a visitor, who has this page only. */
  readonly reader: { readonly workspace: string; readonly person: string } | null;
  /** On the first page: what its workspace should know, in sentences. */
  readonly warnings?: readonly string[];
  /** On the page of an experiment. Lists that are long are left out (null), and asked for. */
  readonly experiment?: {
    readonly experiment: ExperimentJson;
    readonly runs: readonly RunJson[] | null;
    readonly tags: readonly TagJson[] | null;
  };
  /** On the first page. */
  readonly experiments?: { readonly experiments: readonly ExperimentJson[]; readonly next: string | null };
}

/** Id of the element that holds it, as JSON. */
export const pageDataId = 'page-data';

/** Id of the element that the page is drawn into. */
export const pageRootId = 'page';
