import { sql } from 'kysely';
import type { AnyScope } from '../../scope.ts';

/** The given snapshots that an export refers to. */
export async function readReferredSnapshots({ trx, tenantId }: AnyScope, snapshots: readonly string[]): Promise<Set<string>> {
  const { rows } = await sql<{ snapshot: string }>`/* read-referred-snapshots */
    select distinct snapshot from export_job where tenant_id = ${tenantId} and snapshot = any(${[...snapshots]}::text[])`.execute(trx);
  return new Set(rows.map((row) => row.snapshot));
}
