const KiB = 1024;
const MiB = 1024 * KiB;

/**
 * Limits for clients, in one place. `/api/v1/limits` returns exactly this object. Names contain the
 * units. The upload API, the read API and the worker check the same numbers.
 */
export const limits = {
  /**
   * The version of the upload protocol. Increases when clients must change to keep working with a
   * new service; additions that clients can ignore do not change it.
   */
  wireVersion: 1,
  /** The oldest version of the upload protocol that this service still understands. */
  oldestWireVersion: 1,
  /** Maximum data length; records with more data are skipped unread (data rule 8). */
  maxRecordBytes: 64 * MiB,
  /** Maximum plausible record length; a larger length ends the file as damaged (data rule 8). */
  maxClaimedRecordBytes: 1024 * MiB,
  maxBlobBytes: 64 * MiB,
  maxTensorBytes: 16 * MiB,
  maxTagBytes: 4 * KiB,
  maxRunNameBytes: 4 * KiB,
  maxFileNameBytes: 4 * KiB,
  /** Maximum depth of nested protobuf messages and groups. */
  maxNesting: 64,
  /** Maximum number of values (tags) in one event. */
  maxValuesPerEvent: 100_000,
  /**
   * Maximum number of series (tags) in one run; values of further tags are rejected and reported.
   */
  maxSeriesPerRun: 100_000,
  /** Summary metadata of one series: plugin content, names, description. */
  maxMetadataBytes: 4 * MiB,
  /** Summary metadata of all of a run's series. */
  maxRunMetadataBytes: 64 * MiB,
  maxExperimentNameCharacters: 100,
  maxExperimentDescriptionCharacters: 600,
  maxLabels: 64,
  maxExperimentNotesCharacters: 20_000,
  maxRunNotesCharacters: 2_000,
  /**
   * Maximum number of saved views of an experiment: the workspace's shared views, and each member's
   * private views.
   */
  maxSavedViews: 100,
  /** The query string of a saved view, or of a link that opens with a view. */
  maxSavedViewCharacters: 8_192,
  /** Per workspace. */
  maxReports: 1_000,
  maxReportTitleCharacters: 200,
  /** Markdown of a report, as UTF-8. */
  maxReportBytes: 128 * KiB,
  /**
   * Maximum number of experiments that a shared report can show: a link gives access to all of
   * them.
   */
  maxReportExperiments: 100,
  maxRunDisplayNameCharacters: 200,
  /**
   * Configuration (hyperparameters) of a run, as JSON. Further keys remain only in the event file.
   */
  maxRunConfigBytes: 64 * KiB,
  /** A log message with facts about a run; larger messages remain only in the event file. */
  maxRunFactsBytes: 64 * KiB,
  /** A command line or a folder among the facts about a run; longer ones are truncated. */
  maxRunCommandCharacters: 4_096,
  /** Any other string among the facts about a run. */
  maxRunFactCharacters: 256,
  /** Maximum decoded bytes of one PATCH body; also the largest segment. */
  maxAppendBytes: 16 * MiB,
  /**
   * The newest version of the content coding `plotline-columns` in which a range may be sent; all
   * earlier versions can be read.
   */
  columnsVersion: 1,
  /**
   * The version of the upload addresses. 1: they are below `/api/v1/uploads`, so that a proxy needs
   * only the prefix. If absent, only the addresses without the prefix work.
   */
  uploadsVersion: 1,
  /** How far beyond the durable offset a range may start and still be stored. */
  uploadWindowBytes: 256 * MiB,
  /** A body without data for this long times out. */
  bodyIdleTimeoutMs: 30_000,
  /** A body that takes longer than this in total times out; slow clients send smaller ranges. */
  bodyTimeoutMs: 600_000,
  maxJsonBodyBytes: 256 * KiB,
  /** Maximum size of a body that lists runs and tags. */
  maxQueryBodyBytes: 1 * MiB,
  /** Maximum number of array items and object fields in a JSON body. */
  maxBodyValues: 25_000,
  /**
   * Maximum number of runs or tags listed in one query. Without the list, a query covers all of
   * them.
   */
  maxNamesPerQuery: 10_000,
  /** Maximum size of a body without credentials. */
  maxPublicBodyBytes: 16 * 1_024,
  /** Maximum number of valid access tokens of a member, or of a service account. */
  maxTokensPerMember: 1_000,
  /** Per service account. */
  maxWorkloads: 100,
  defaultPageSize: 50,
  maxPageSize: 1_000,
  defaultPointsPageSize: 10_000,
  maxPointsPageSize: 100_000,
  defaultBuckets: 1_000,
  maxBuckets: 100_000,
  /**
   * A response is limited by runs × tags × points cells and by bytes; beyond that, a 413 explains
   * what to narrow.
   */
  maxAnswerCells: 4_000_000,
  maxAnswerBytes: 64 * MiB,
  /** Maximum length of a list's `filter`. */
  maxFilterCharacters: 4096,
  maxWaitSeconds: 60,
  /** Maximum number of log lines in one response. Services without this limit do not store logs. */
  maxLogLines: 5_000,
  /** Longer log lines are truncated in responses. */
  maxLogLineBytes: 16 * KiB,
  /** Maximum bytes of log text in one response, except for the first line. */
  maxLogAnswerBytes: 4 * MiB,
  /** Maximum total bytes of log text that a snapshot keeps. */
  maxSnapshotLogBytes: 64 * MiB,
  /** Maximum bytes of a log that one search reads; the next search continues there. */
  maxLogSearchBytes: 32 * MiB,
  maxLogSearchCharacters: 200,
  idempotencyKeyHours: 24,
  /** Uploads are rejected with 507 if less disk space than this is free (embedded mode). */
  minFreeDiskBytes: 512 * MiB,
} as const;
