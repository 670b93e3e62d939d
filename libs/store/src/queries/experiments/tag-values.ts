import { type RawBuilder, sql } from 'kysely';
import type { ExperimentId, RunId, TagName, TenantId } from '#model';
import { arrayParameter } from '../../text-result.ts';
import { nameHash } from '../points/run-series.ts';
import type { FieldRef } from './filter-sql.ts';

/** A field for points at a step, and the values that #series read for it. */
export interface PointValues {
  readonly ref: FieldRef;
  readonly runIds: readonly RunId[];
  /** In the order of `runIds`. */
  readonly values: readonly number[];
}

/** Statistics over all points of a series. */
export type StoredSummary = 'last' | 'min' | 'max' | 'lastStep';

/** Maximum number of fields read for all runs in one statement. Each adds a join to plan. */
const maxTables = 4;

/**
 * Tag values for all runs of an experiment, as tables in a `with` clause. Postgres can then choose
 * between lookups and scans. Subqueries for each run are always lookups, which take twice as long
 * for 10,000 runs.
 */
export class TagValues {
  readonly #tenantId: TenantId;
  readonly #experimentId: ExperimentId;
  readonly #tables: { readonly key: string; readonly name: string; readonly table: RawBuilder<unknown> }[] = [];

  constructor(tenantId: TenantId, experimentId: ExperimentId) {
    this.#tenantId = tenantId;
    this.#experimentId = experimentId;
  }

  /** The value for row `b`. Null if there are too many tables. */
  valueOf(summary: StoredSummary, tag: TagName): RawBuilder<unknown> | null {
    const ofExtremes = summary === 'min' || summary === 'max';
    const key = `${ofExtremes ? 'extremes' : 'last'} ${tag}`;
    const known = this.#tables.find((one) => one.key === key);
    if (known) return sql.ref(`${known.name}.${summary}`);
    if (this.#tables.length >= maxTables) return null;
    const name = `t${this.#tables.length}`;
    this.#tables.push({ key, name, table: ofExtremes ? this.#extremes(tag) : this.#last(tag) });
    return sql.ref(`${name}.${summary}`);
  }

  /** The value for row `b`, from a table of numbers. */
  given(points: PointValues): RawBuilder<unknown> {
    const key = `given ${JSON.stringify(points.ref)}`;
    const known = this.#tables.find((one) => one.key === key);
    if (known) return sql.ref(`${known.name}.value`);
    const name = `t${this.#tables.length}`;
    this.#tables.push({ key, name, table: sql`select l.run_id, l.value from ${numbersByRun(points)} as l(run_id, value)` });
    return sql.ref(`${name}.value`);
  }

  /** The tables for all values requested so far, each followed by a comma. */
  tables(): RawBuilder<unknown> {
    return sql.join(
      this.#tables.map(({ name, table }) => sql`${sql.ref(name)} as materialized (${table}), `),
      sql``,
    );
  }

  joins(): RawBuilder<unknown> {
    return sql.join(
      this.#tables.map(({ name }) => sql` left join ${sql.ref(name)} on ${sql.ref(`${name}.run_id`)} = b.run_id`),
      sql``,
    );
  }

  #last(tag: TagName): RawBuilder<unknown> {
    return sql`select distinct on (s.run_id) s.run_id, v.last_value as ${sql.ref('last')}, v.last_step::float8 as ${sql.ref('lastStep')}
      ${this.#from(tag)} order by s.run_id, ${newestFirst}`;
  }

  #extremes(tag: TagName): RawBuilder<unknown> {
    return sql`select s.run_id, min(v.min_value) as ${sql.ref('min')}, max(v.max_value) as ${sql.ref('max')} ${this.#from(tag)} group by s.run_id`;
  }

  #from(tag: TagName): RawBuilder<unknown> {
    return sql`from run r join series s on s.tenant_id = ${this.#tenantId} and s.run_id = r.run_id
        join series_stats v on v.tenant_id = ${this.#tenantId} and v.series_id = s.series_id
      where r.tenant_id = ${this.#tenantId} and r.experiment_id = ${this.#experimentId} and s.tag_hash = ${nameHash(tag)} and not s.twin and s.data_class = 'scalar'`;
  }
}

/**
 * A table of runs and numbers, to be joined by run. It is sent as text, because the driver takes
 * several times as long to send array elements.
 */
export function numbersByRun({ runIds, values }: Pick<PointValues, 'runIds' | 'values'>): RawBuilder<unknown> {
  return sql`unnest(${arrayParameter(runIds)}::int8[], ${arrayParameter(values)}::float8[])`;
}

/**
 * A run's writers have one series each. The last point is the point with the largest step. If
 * several points have that step, it is the point logged last.
 */
export const newestFirst = sql`v.last_step desc nulls last, v.last_wall_time desc nulls last, s.writer`;
