import { Problem, type RunName, type RunState, type TagName } from '#model';

/** A JSON object from the REST API. */
export type Json = Readonly<Record<string, unknown>>;
/** The query parameters of a URL; a list is a repeated parameter. */
export type Query = Readonly<Record<string, string | readonly string[]>>;

/**
 * Where summaries get their data: the REST API, or its handlers in the same process. Each method
 * returns the JSON of one route as the caller may see it, or throws the problem that the route
 * would return.
 */
export interface Source {
  /** GET /experiments. A caller with a share link gets only the link's experiment. */
  experiments(query: Query): Promise<Json>;
  /** GET /experiments/{id}. */
  experiment(id: string): Promise<Json>;
  /** GET /experiments/{id}/runs. */
  runs(id: string, query: Query): Promise<Json>;
  /** GET /experiments/{id}/series. */
  series(id: string, query: Query): Promise<Json>;
  /** POST /experiments/{id}/scalars/query. */
  scalars(id: string, body: Json): Promise<Json>;
  /** GET /experiments/{id}/problems. */
  problems(id: string, query: Query): Promise<Json>;
}

/** A whole number from the API; a string if it exceeds 2^53. */
export type Whole = number | string;
/** A float from the API: a number, or `NaN`, `Infinity`, `-Infinity`. */
export type Float = number | string;

/** The fields of a series that summaries read. */
export interface SeriesRow {
  readonly run: RunName;
  readonly tag: TagName;
  readonly writer?: number;
  readonly data_class: string;
  readonly points: Whole;
  readonly superseded_points: Whole;
  readonly invalid_points: Whole;
  readonly mismatched_points: Whole;
  readonly rounded_points: Whole;
  readonly last_step: Whole | null;
  readonly last_wall_time: Float | null;
  readonly min: Float | null;
  readonly max: Float | null;
  readonly last: Float | null;
  readonly nan_count: Whole | null;
}

/** The fields of a run that summaries read. */
export interface RunRow {
  readonly run: RunName;
  readonly state: RunState;
  readonly last_time: Float | null;
  readonly config: Readonly<Record<string, string | number | boolean>>;
  readonly source: Json | null;
  readonly group: string | null;
  readonly job_type: string | null;
}

/** If a list from the API is not a list, the server is faulty. */
// oxlint-disable-next-line no-unnecessary-type-parameters -- the caller names the rows of the route
export function rowsOf<T>(page: Json, field: string): readonly T[] {
  const rows = page[field];
  if (!Array.isArray(rows)) throw new Problem('internal', `The service sent no list of ${field}.`);
  return rows as T[];
}

/** Whether a list has more pages. */
export function hasMore(page: Json): boolean {
  return typeof page['next_page_token'] === 'string' && page['next_page_token'] !== '';
}

/** A name as a string in a filter expression. */
export function quoted(name: string): string {
  return `"${name.replace(/[\\"]/g, '\\$&')}"`;
}

/**
 * The URL of the page with these runs, or with the chart of one tag; null if it is too long to be
 * useful.
 */
export function pageLink(url: unknown, runs: readonly RunName[], tag?: TagName): string | null {
  const parameters = new URLSearchParams(runs.map((run): [string, string] => ['run', run]));
  if (tag !== undefined) parameters.set('card', tag);
  const link = `${String(url)}?${parameters.toString()}`;
  return link.length > 400 ? null : link;
}

/** A time from the API as a number; -∞ if there is none. */
export function floatTime(time: Float | null): number {
  const seconds = time === null ? NaN : Number(time);
  return Number.isNaN(seconds) ? -Infinity : seconds;
}
