import { type RawBuilder, sql } from 'kysely';
import { logNamePattern, seesLogs, seesTag, type TenantId, type View } from '#model';
import { nameHash } from '../points/run-series.ts';

/** Converts names to their keys, the SHA-256 of their UTF-8 bytes. */
export function nameHashes(names: readonly string[]): Buffer[] {
  return names.map((name) => nameHash(name));
}

/** Whether run `r` is visible: it is one of the view's runs and has one of the view's tags. */
export function runInView(tenantId: TenantId, view: View | null): RawBuilder<unknown> {
  const runs = view?.runs ? sql`r.name_hash = any(${nameHashes(view.runs)}::bytea[])` : sql`true`;
  if (!view?.tags) return runs;
  return sql`${runs} and exists (
    select from series v where v.tenant_id = ${tenantId} and v.run_id = r.run_id and v.tag_hash = any(${nameHashes(view.tags)}::bytea[]))`;
}

/**
 * The hparams session data from run state `s` and run facts `f`, if the view includes its tag. The
 * hyperparameters and group are logged at the start of the session, and the status at its end.
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
 * The condition, starting with `and`, for file `f` to be visible. Log names contain machine names,
 * so only a view that includes logs shows them. Empty if all files are visible.
 */
export function andFileInView(view: View | null): RawBuilder<unknown> {
  return seesLogs(view) ? sql`` : sql`and not (f.name like ${logNamePattern.like} and f.name not like ${logNamePattern.notLike})`;
}

/** The tag with which a view includes the facts that its runs recorded about themselves. */
export const runFactsTag = 'system/facts';

/**
 * Columns from run facts `f`, if the view includes their tag. Columns that name people, machines or
 * code are included only if the view is not anonymous.
 */
export function factsInView(view: View | null): { readonly plain: boolean; readonly naming: boolean } {
  const plain = seesTag(view, runFactsTag);
  return { plain, naming: plain && view?.anonymous !== true };
}
