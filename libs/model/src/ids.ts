declare const brand: unique symbol;

/**
 * A string that identifies one kind of object. Brands exist only for the compiler, which rejects
 * ids of another kind and unchecked strings. Values get their brand where they enter the process:
 * from the guards below, or as columns of `Database` in libs/store.
 */
type Id<Kind extends string> = string & { readonly [brand]: Kind };

/** The id of a workspace: a lowercase UUID. */
export type TenantId = Id<'tenant'>;

/** The id of an experiment: 22 characters of base 62, as in its page's address. */
export type ExperimentId = Id<'experiment'>;

/** The id of a run: a positive bigint as decimal digits. */
export type RunId = Id<'run'>;

/** The id of an event file: a positive bigint as decimal digits. */
export type FileId = Id<'file'>;

/** The id of a series: a positive bigint as decimal digits. */
export type SeriesId = Id<'series'>;

const uuidForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Whether a string can be a workspace id; anything else needs no lookup. */
export function isTenantId(text: string): text is TenantId {
  return uuidForm.test(text);
}

/** Throws `RangeError` unless `text` can be a workspace id. */
export function parseTenantId(text: string): TenantId {
  if (!isTenantId(text)) throw new RangeError('not the id of a tenant');
  return text;
}

const experimentForm = /^[A-Za-z0-9]{22}$/;

/** Whether a string can be an experiment id; anything else needs no lookup. */
export function isExperimentId(text: string): text is ExperimentId {
  return experimentForm.test(text);
}

/** Throws `RangeError` unless `text` can be an experiment id. */
export function parseExperimentId(text: string): ExperimentId {
  if (!isExperimentId(text)) throw new RangeError('not the id of an experiment');
  return text;
}

const bigintForm = /^[1-9][0-9]{0,18}$/;
const maxBigint = 2n ** 63n - 1n;

/**
 * Whether a string is a number as Postgres returns it: a positive bigint in canonical decimal form.
 */
function isSerial(text: string): boolean {
  return bigintForm.test(text) && (text.length < 19 || BigInt(text) <= maxBigint);
}

/** Whether a string can be a run id; anything else needs no lookup. */
export function isRunId(text: string): text is RunId {
  return isSerial(text);
}

/** Throws `RangeError` unless `text` can be a run id. */
export function parseRunId(text: string): RunId {
  if (!isRunId(text)) throw new RangeError('not the id of a run');
  return text;
}

/** Whether a string can be an event file id; anything else needs no lookup. */
export function isFileId(text: string): text is FileId {
  return isSerial(text);
}

/** Throws `RangeError` unless `text` can be an event file id. */
export function parseFileId(text: string): FileId {
  if (!isFileId(text)) throw new RangeError('not the id of an event file');
  return text;
}

/** Whether a string can be a series id; anything else needs no lookup. */
export function isSeriesId(text: string): text is SeriesId {
  return isSerial(text);
}

/** Throws `RangeError` unless `text` can be a series id. */
export function parseSeriesId(text: string): SeriesId {
  if (!isSeriesId(text)) throw new RangeError('not the id of a series');
  return text;
}
