import { type RawBuilder, sql } from 'kysely';
import { logNamePattern, seesLogs, seesTag, type TenantId, type View } from '#model';
import { nameHash } from '../points/run-series.ts';

/** Converts names to their keys, the SHA-256 of their UTF-8 bytes. */
export function nameHashes(names: readonly string[]): Buffer[] {
  return names.map((name) => nameHash(name));
}

/** Whether run `r` is visible: it is one of the runs of the view, and has one of its tags. */
export function runInView(tenantId: TenantId, view: View | null): RawBuilder<unknown> {
  const runs = view?.runs ? sql`r.name_hash = any(${nameHashes(view.runs)}::bytea[])` : sql`true`;
  if (!view?.tags) return runs;
  return sql`${runs} and exists (
    select from series v where v.tenant_id = ${tenantId} and v.run_id = r.run_id and v.tag_hash = any(${nameHashes(view.tags)}::bytea[]))`;
}

/**
 * The data of the hparams session of run state `s` and run facts `f`, if the view includes its tag.
 * Hyperparameters and group are logged with the start of the session, the status with its end.
 */
export function sessionInView(view: View | null): {
  hparams: RawBuilder<unknown>;
  group: RawBuilder<unknown>;
  status: RawBuilder<unknown>;
} {
  const start = seesTag(view, '_hparams_/session_start_info');
  const end = seesTag(view, '_hparams_/session_end_info');
  return {
    hparams: start ? sql`s.hparams` : sql`null::jsonb`,
    group: start ? sql`s.group_name` : sql`null::text`,
    status: end ? sql`coalesce(f.status, s.status)` : sql`'unknown'::text`,
  };
}

/**
 * A condition, which begins with `and`, for file `f` to be visible. Only a view that includes logs
 * shows even their names, which name machines. Empty if all files are visible.
 */
export function andFileInView(view: View | null): RawBuilder<unknown> {
  return seesLogs(view) ? sql`` : sql`and not (f.name like ${logNamePattern.like} and f.name not like ${logNamePattern.notLike})`;
}

/** The tag by which a view includes the facts that its runs recorded about themselves. */
export const runFactsTag = 'system/facts';

/**
 * Columns of run facts `f` that the view includes, if it includes their tag. Columns that name
 * people, machines or code are included only if the view is not anonymous.
 */
export function factsInView(view: View | null): { readonly plain: boolean; readonly naming: boolean } {
  const plain = seesTag(view, runFactsTag);
  return { plain, naming: plain && view?.anonymous !== true };
}
