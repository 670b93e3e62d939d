import { sql, type Kysely } from 'kysely';
import type { Database } from '../database.ts';

/** What a batch says about its run. */
export interface RunStateUpdate {
  /** Readable events in the batch. */
  readonly events: number;
  /** Smallest positive wall time, seconds; null without one. */
  readonly startTime: number | null;
  readonly lastTime: number | null;
  /** From `_hparams_/session_start_info`, when the batch has it. */
  readonly hparams: Readonly<Record<string, number | string | boolean>> | null;
  readonly groupName: string | null;
  /** From `_hparams_/session_end_info`: success, failure, running, unknown. */
  readonly status: string | null;
  /** Stored now: points of all classes, new series, bytes of tensors and blobs. */
  readonly points: number;
  readonly series: number;
  readonly valueBytes: number;
}

/** Adds to a run's state, creating it with its first batch. */
export async function writeRunState(
  trx: Kysely<Database>,
  tenantId: string,
  experimentId: string,
  runId: string,
  update: RunStateUpdate,
): Promise<void> {
  const hparams = update.hparams === null ? null : toJson(update.hparams);
  await sql`/* prepared: write-run-state */ insert into run_state as r (tenant_id, run_id, experiment_id, events, start_time, last_time, status, group_name, hparams,
      points, series, value_bytes)
    values (${tenantId}, ${runId}, ${experimentId}, ${update.events}, ${update.startTime}, ${update.lastTime}, ${update.status ?? 'unknown'},
      ${update.groupName?.replaceAll('\0', '\u2400') ?? null}, ${hparams}::jsonb, ${update.points}, ${update.series}, ${update.valueBytes})
    on conflict (tenant_id, run_id) do update set
      events = r.events + excluded.events,
      start_time = least(r.start_time, excluded.start_time),
      last_time = greatest(r.last_time, excluded.last_time),
      status = case when excluded.status = 'unknown' then r.status else excluded.status end,
      group_name = coalesce(r.group_name, excluded.group_name),
      hparams = coalesce(r.hparams, excluded.hparams),
      points = r.points + excluded.points, series = r.series + excluded.series, value_bytes = r.value_bytes + excluded.value_bytes`.execute(
    trx,
  );
}

/** JSON for a jsonb column: numbers that JSON lacks as strings, NUL (which jsonb refuses) as a visible stand-in. */
function toJson(hparams: Readonly<Record<string, number | string | boolean>>): string {
  const clean = (text: string): string => text.replaceAll('\0', '\u2400').toWellFormed();
  return JSON.stringify(
    Object.fromEntries(
      Object.entries(hparams).map(([name, value]) => [
        clean(name),
        typeof value === 'string' ? clean(value) : typeof value === 'number' && !Number.isFinite(value) ? String(value) : value,
      ]),
    ),
  );
}
