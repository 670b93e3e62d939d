/**
 * Statements that read rows of all tenants, by file in `libs/store/sql/maintenance`. On a cluster,
 * each visits every shard. All of them run in the background and are bounded.
 */
export const overAllTenants: Readonly<Record<string, string>> = {
  'list-workspaces': 'an administrator asks for the list of workspaces',
  'read-citation-work': 'the janitor of citations in one ingest process, one per workspace',
  'read-export-work': 'the sweep of one ingest process, and the janitor',
  'read-files-to-join': 'the janitor of originals, a page at a time',
  'read-pending-bytes': 'each ingest process, to share work fairly between workspaces',
  'read-pending-runs': 'the sweep of one ingest process',
  'read-pending-totals': 'metrics of pending work',
  'read-runs-to-roll-up': 'the sweep of one ingest process',
  'read-tenants-with-expired-rows': 'the janitor',
  'read-tenants-with-old-audit': 'the janitor',
  'read-tenants-with-old-originals': 'the janitor',
  'read-unfinished-deletions': 'the sweep of one ingest process',
  'read-unheard': 'each round of the publisher',
};
