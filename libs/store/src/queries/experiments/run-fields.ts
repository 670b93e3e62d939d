import { type RawBuilder, sql } from 'kysely';
import { seesTag, type TagName, type TenantId, type View } from '#model';
import { type FieldRef, type ListField, type ListFields, sameField } from './filter-sql.ts';
import { silentStateSql } from './run-state-sql.ts';
import { type LiveStats, seriesValue, type Summary } from './series-value-sql.ts';
import { numbersByRun, type PointValues, type TagValues } from './tag-values.ts';

/** Fields for points at a step, which is their second argument. */
export const pointFields = {
  value_at: 'step',
  step_at: 'step',
  value_at_min: 'text',
  step_at_min: 'text',
  value_at_max: 'text',
  step_at_max: 'text',
} as const;

/**
 * The fields by which runs can be filtered and ordered. `tags` reads tag values for all runs at
 * once; if absent, they are read for each run. `points` has the values of fields for points at a
 * step; a field without an entry there has no value.
 */
export function runFields(
  tenantId: TenantId,
  live: readonly LiveStats[],
  view: View | null,
  tags?: TagValues,
  points: readonly PointValues[] = [],
): ListFields {
  const plain = (kind: 'text' | 'number', column: string) => ({ kind, takesArgument: false, value: () => sql.ref(column) });
  const ofSeries = (summary: Summary) => ({
    kind: 'number' as const,
    takesArgument: true,
    value: (tag: TagName | null) => (seesTag(view, tag ?? '') ? seriesValue(tenantId, summary, tag ?? '', live, tags) : sql`null::float8`),
  });
  return {
    name: plain('text', 'b.name'),
    run: plain('text', 'b.name'),
    status: plain('text', 'b.status'),
    group: plain('text', 'b.group_name'),
    display_name: plain('text', 'b.display_name'),
    job_type: plain('text', 'b.job_type'),
    heartbeat: plain('number', 'b.heartbeat'),
    command: plain('text', 'b.command'),
    git_commit: plain('text', 'b.git_commit'),
    git_dirty: { kind: 'text', takesArgument: false, value: () => sql`b.git_dirty::text` },
    git_branch: plain('text', 'b.git_branch'),
    person: plain('text', 'b.person'),
    host: plain('text', 'b.host'),
    label: { kind: 'labels', takesArgument: false, value: () => sql`b.labels` },
    archived: { kind: 'text', takesArgument: false, value: () => sql`b.archived::text` },
    start_time: plain('number', 'b.start_time'),
    last_time: plain('number', 'b.last_time'),
    duration: { kind: 'number', takesArgument: false, value: () => sql`(b.last_time - b.start_time)` },
    state: {
      kind: 'text',
      takesArgument: true,
      argumentIsOptional: true,
      value: (minutes) => (minutes === null ? sql`b.state` : silentStateSql(minutes)),
    },
    config: { kind: 'json', takesArgument: true, value: (name) => sql`b.hparams -> ${name ?? ''}::text` },
    hparam: { kind: 'json', takesArgument: true, value: (name) => sql`b.hparams -> ${name ?? ''}::text` },
    last: ofSeries('last'),
    min: ofSeries('min'),
    max: ofSeries('max'),
    last_step: ofSeries('lastStep'),
    min_step: ofSeries('minStep'),
    max_step: ofSeries('maxStep'),
    ...Object.fromEntries(
      Object.entries(pointFields).map(([field, second]): [string, ListField] => [
        field,
        {
          kind: 'number',
          takesArgument: true,
          second,
          value: (argument, other) => pointValue({ field, argument, second: other }, points, tags),
        },
      ]),
    ),
  };
}

/** Points are compressed in chunks, so #series decodes them and sends Postgres the numbers. */
function pointValue(ref: FieldRef, points: readonly PointValues[], tags: TagValues | undefined): RawBuilder<unknown> {
  const found = points.find((one) => sameField(one.ref, ref));
  if (!found) return sql`null::float8`;
  return tags?.given(found) ?? sql`(select l.value from ${numbersByRun(found)} as l(run_id, value) where l.run_id = b.run_id)`;
}
