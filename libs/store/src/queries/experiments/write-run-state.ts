import { sql } from 'kysely';
import { type ExperimentId, limits, type RunId, type RunStatus } from '#model';
import type { IngestScope } from '../../scope.ts';

/** How a batch changes a run's state. */
export interface RunStateUpdate {
  /** How many readable events the batch has. */
  readonly events: number;
  /** Smallest positive wall time, in seconds. Null if there is none. */
  readonly startTime: number | null;
  readonly lastTime: number | null;
  /** From `_hparams_/session_start_info`, if the batch contains it. */
  readonly hparams: Readonly<Record<string, number | string | boolean>> | null;
  readonly groupName: string | null;
  /** From `_hparams_/session_end_info`: success, failure, running or unknown. */
  readonly status: RunStatus | null;
  /** What this batch stored: points of all classes, new series, and bytes of tensors and blobs. */
  readonly points: number;
  readonly series: number;
  readonly valueBytes: number;
}

/**
 * Updates a run's state, creating it with its first batch. The run must be claimed, so that no
 * other transaction writes its state. An upsert would log a row lock for each batch.
 */
export async function writeRunState(
  { trx, tenantId }: IngestScope,
  experimentId: ExperimentId,
  runId: RunId,
  update: RunStateUpdate,
): Promise<void> {
  const hparams = update.hparams === null ? null : toJson(update.hparams);
  await sql`/* prepared: write-run-state */ with batch (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams,
      points, series, value_bytes) as (
    values (${tenantId}::uuid, ${runId}::bigint, ${experimentId}, ${update.events}::bigint, ${update.startTime}::float8, ${update.lastTime}::float8,
      ${update.status ?? 'unknown'}, ${update.groupName?.replaceAll('\0', '\u2400') ?? null}, ${hparams}::jsonb,
      ${update.points}::bigint, ${update.series}::bigint, ${update.valueBytes}::bigint)
  ), added as (
    update run_state r set
      events = r.events + b.events,
      start_time = least(r.start_time, b.start_time),
      last_time = greatest(r.last_time, b.last_time),
      status = case when b.status = 'unknown' then r.status else b.status end,
      group_name = coalesce(r.group_name, b.group_name),
      hparams = coalesce(r.hparams, b.hparams),
      ingested_at = now(),
      points = r.points + b.points, series = r.series + b.series, value_bytes = r.value_bytes + b.value_bytes
    from batch b where r.tenant_id = ${tenantId} and r.run_id = ${runId}
    returning 1
  )
  insert into run_state (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams, points, series, value_bytes, ingested_at)
    select *, now() from batch where not exists (select from added)`.execute(trx);
}

/**
 * JSON for a jsonb column, without the keys that exceed `maxRunConfigBytes`. Numbers that JSON
 * lacks become strings, and NUL, which jsonb rejects, becomes a visible replacement.
 */
function toJson(hparams: Readonly<Record<string, number | string | boolean>>): string {
  const clean = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();
  let left = limits.maxRunConfigBytes;
  const entries = Object.entries(hparams).flatMap(([name, value]) => {
    const kept = typeof value === 'string' ? clean(value) : typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
    const bytes = Buffer.byteLength(JSON.stringify([clean(name), kept]));
    if (bytes > left) return [];
    left -= bytes;
    return [[clean(name), kept] as const];
  });
  return JSON.stringify(Object.fromEntries(entries));
}
